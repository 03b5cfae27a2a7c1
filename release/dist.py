"""Make the files of a release: `make dist`.

    build/dist/rankwise-VERSION.tar.gz          the sources; builds without a network
    build/dist/rankwise-VERSION-*-ARCH.whl      a wheel for each architecture, for any Linux since glibc 2.17
    build/dist/rankwise-VERSION.spdx.json       what is in them, and under which licences
    build/dist/recipes                          for package managers, with the version and the checksum
    build/dist/SHA256SUMS

Only what is committed goes in, and the same commit makes the same bytes wherever it is built with the same
compiler: times are that of the commit (SOURCE_DATE_EPOCH), and no path of the machine gets in. The wheels are
built from the sources that are released, which proves that these are complete.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import bill

ROOT = Path(__file__).resolve().parents[1]
GLIBC = (2, 17)
PLATFORM = "manylinux_2_17_{0}.manylinux2014_{0}"
ARCHITECTURES = ("x86_64", "aarch64")
TOOLS = Path(sys.executable).parent


class DistError(Exception):
    """Something is missing or wrong; the text says what cures it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build everything.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "dist", metavar="DIR")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "dist-work", metavar="DIR")
    parser.add_argument(
        "--architectures", nargs="+", default=ARCHITECTURES, choices=ARCHITECTURES, metavar="ARCH"
    )
    parser.add_argument(
        "--url", default="https://example.org/rankwise", help="where the files will be, for the recipes"
    )
    given = parser.parse_args(arguments)
    try:
        build(given.output.resolve(), given.work.resolve(), given.architectures, given.url)
    except DistError as error:
        print(f"make dist: {error}", file=sys.stderr)
        return 1
    return 0


def build(output: Path, work: Path, architectures: Sequence[str], url: str) -> None:
    """Make all files in `output`; `work` is emptied, and left for looking at failures."""
    crossing = {name: compilers(name) for name in architectures}  # asked first: the build takes minutes
    os.umask(0o022)  # modes are in the archives
    for directory in (output, work):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": date_of_commit()}
    say("the sources")
    sources = sdist(work, output, environment)
    wheels = []
    for name in architectures:
        say(f"the wheel for {name}")
        wheels.append(wheel(unpacked(sources, work / name), output, name, crossing[name], environment))
        say(f"  {wheels[-1].name}: {checked(wheels[-1])}")
    document = bill.document([sources, *wheels], int(environment["SOURCE_DATE_EPOCH"]))
    bill.write(document, output / f"{sources.name.removesuffix('.tar.gz')}.spdx.json")
    recipes(output / "recipes", sources, url)
    files = sorted(path for path in output.iterdir() if path.is_file())
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    (output / "SHA256SUMS").write_text(sums)
    say(f"in {output}: {', '.join(f'{file.name} ({file.stat().st_size:,} bytes)' for file in files)}")


def recipes(directory: Path, sources: Path, url: str) -> None:
    """Write the recipes of package managers for these sources."""
    values = {
        "@URL@": url.rstrip("/"),
        "@VERSION@": sources.name.removesuffix(".tar.gz").rpartition("-")[2],
        "@SHA256@": hashlib.sha256(sources.read_bytes()).hexdigest(),
    }
    for recipe in sorted(path for path in (ROOT / "release" / "recipes").rglob("*") if path.is_file()):
        text = recipe.read_text(encoding="utf-8")
        for mark, value in values.items():
            text = text.replace(mark, value)
        written = directory / recipe.relative_to(ROOT / "release" / "recipes")
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(text, encoding="utf-8")


def say(line: str) -> None:
    """Report the current step: all of them take minutes."""
    print(f"dist: {line}", flush=True)


def run(*words: str | Path, cwd: Path, environment: Mapping[str, str]) -> None:
    """Run a step silently.

    Raises:
        DistError: it failed; with the end of what it said.
    """
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        end = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise DistError(f"{' '.join(map(str, words))} failed:\n{end}")


def git(*words: str) -> bytes:
    """Ask git about the checkout."""
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, check=False)
    if done.returncode:
        raise DistError(
            f"a release is made of a commit, so this has to be a clone: {done.stderr.decode().strip()}"
        )
    return done.stdout


def date_of_commit() -> str:
    """Seconds since 1970: SOURCE_DATE_EPOCH if it is set, else when HEAD was committed."""
    return os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct").decode().strip()


def sdist(work: Path, output: Path, environment: Mapping[str, str]) -> Path:
    """Pack the sources of HEAD."""
    tree = work / "tree"
    tree.mkdir()
    archive = work / "tree.tar"
    archive.write_bytes(git("archive", "HEAD"))
    unpack(archive, tree)
    words = ("-m", "build", "--sdist", "--no-isolation", "--outdir", output, tree)
    run(sys.executable, *words, cwd=work, environment=environment)
    (made,) = output.glob("*.tar.gz")
    return made


def unpack(archive: Path, directory: Path) -> None:
    """Unpack an archive that we made."""
    with tarfile.open(archive) as tar:
        tar.extractall(directory)


def unpacked(sources: Path, directory: Path) -> Path:
    """Unpack the sources, and return their directory."""
    directory.mkdir()
    unpack(sources, directory)
    (tree,) = directory.iterdir()
    return tree


def compilers(architecture: str) -> list[str]:
    """Return CMake's options to build for an architecture: none if it is this machine's.

    Raises:
        DistError: there is no compiler for it.
    """
    if architecture == os.uname().machine:
        return []
    tools = {tool: f"{architecture}-linux-gnu-{tool}" for tool in ("gcc", "g++", "strip")}
    if missing := [name for name in tools.values() if shutil.which(name) is None]:
        raise DistError(
            f"no {missing[0]}: apt-get install g++-{architecture.replace('_', '-')}-linux-gnu,"
            f" or leave {architecture} out: make dist ARCHITECTURES={os.uname().machine}"
        )
    return [
        "-DCMAKE_SYSTEM_NAME=Linux",
        f"-DCMAKE_SYSTEM_PROCESSOR={architecture}",
        f"-DCMAKE_C_COMPILER={tools['gcc']}",
        f"-DCMAKE_CXX_COMPILER={tools['g++']}",
        f"-DCMAKE_STRIP={shutil.which(tools['strip'])}",
    ]


def wheel(
    tree: Path, output: Path, architecture: str, options: Sequence[str], environment: Mapping[str, str]
) -> Path:
    """Build a wheel, and give it the tags of what it runs on."""
    built = tree.parent / "wheel"
    environment = {
        **{name: value for name, value in environment.items() if name not in ("CC", "CXX")},
        "CMAKE_ARGS": " ".join(options),
        "PATH": f"{TOOLS}{os.pathsep}{environment['PATH']}",
        "_PYTHON_HOST_PLATFORM": f"linux-{architecture}",
    }
    alone = ("--no-build-isolation", "--no-deps", "--no-index", "--no-cache-dir")
    run(TOOLS / "pip", "wheel", *alone, "--wheel-dir", built, ".", cwd=tree, environment=environment)
    (plain,) = built.glob("*.whl")
    tag = PLATFORM.format(architecture)
    words = ("-m", "wheel", "tags", "--remove", "--platform-tag", tag, plain)
    run(sys.executable, *words, cwd=built, environment=environment)
    (tagged,) = built.glob("*.whl")
    return Path(shutil.move(tagged, output / tagged.name))


def checked(path: Path) -> str:
    """Return what auditwheel takes a wheel for.

    Raises:
        DistError: it runs on fewer machines than its name says.
    """
    words = [sys.executable, "-m", "auditwheel", "show", str(path)]
    said = " ".join(subprocess.run(words, capture_output=True, text=True, check=False).stdout.split())
    matched = re.search(r'following platform tag: "(manylinux_(\d+)_(\d+)_\w+)"', said)
    if not matched or (int(matched[2]), int(matched[3])) > GLIBC:
        raise DistError(f"{path.name} is not what its name says: {said or 'auditwheel can not read it'}")
    return matched[1]


if __name__ == "__main__":
    sys.exit(main())
