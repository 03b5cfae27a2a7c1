"""Make a folder with Rankwise and its own Python: `make standalone`.

    build/dist/rankwise-VERSION-ARCH.tar.gz     unpacked anywhere, bin/rankwise runs

For machines without Python 3.10, or without pip, and for shared file systems (start.py). A given Python is
copied, with the libraries that it needs. It decides on which machines the folder runs: give one that was
built on the oldest of them.
"""

from __future__ import annotations

import argparse
import json
import marshal
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from dist import ROOT, TOOLS, DistError, date_of_commit, run, say

_ASK = """import json, platform, sys, sysconfig
print(json.dumps({"version": sys.version_info[:2], "program": sys._base_executable,
"machine": platform.machine(), "stdlib": sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix,
"base": sys.base_prefix})}))"""
_COMPILE = """import importlib.util, marshal, sys
for line in sys.stdin:
    source, name, target = line.rstrip("\\n").split("\\t")
    with open(source, "rb") as file: text = file.read()
    with open(target, "wb") as file: marshal.dump(compile(text, name, "exec", dont_inherit=True), file)"""
_LEFT_OUT = {
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "turtledemo",
    "ensurepip",
    "lib2to3",
    "pydoc_data",
    "site-packages",
} | {"dist-packages", "__pycache__"}
_NOT_NEEDED = (
    "_bz2",
    "_ssl",
    "_hashlib",
    "_curses*",
    "_tkinter",
    "_dbm",
    "_gdbm",
    "readline",
    "nis",
    "_test*",
)
"""Extension modules that Rankwise does without; they bring large libraries."""
_SYSTEMS = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|util|pthread|nsl|crypt|resolv))\.so\.\d+")
"""Parts of glibc: taken from the machine with the folder."""
_NO_CODE = ("numpy", "scipy")  # load much more than code
_PLATFORMS = ("manylinux_2_17", "manylinux2014", "manylinux_2_5", "manylinux1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Build it.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path, help="of this machine's architecture, from `make dist`")
    parser.add_argument("--python", default="python3", metavar="PATH", help="that is copied: 3.11 or newer")
    parser.add_argument(
        "--root", default="", metavar="DIR", help="folder that PATH and its libraries are below"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "dist", metavar="DIR")
    given = parser.parse_args(arguments)
    try:
        made = build(given.wheel.resolve(), Python(given.python, given.root), given.output.resolve())
    except DistError as error:
        print(f"make standalone: {error}", file=sys.stderr)
        return 1
    say(f"{made} ({made.stat().st_size:,} bytes)")
    return 0


class Python:
    """The interpreter that is copied.

    Attributes:
        version: such as 3.11.
        program: its file.
        machine: its architecture.
        library: the folder of its standard library.
    """

    def __init__(self, path: str, root: str = "") -> None:
        """Ask it; below `root`, another system, where its programs are run by chroot."""
        self._inside = ["chroot", root] if root else []
        self.root = Path(root or "/").resolve()  # as the paths of programs are
        done = subprocess.run(
            [*self._inside, path, "-I", "-c", _ASK], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise DistError(f"{path} does not run: {done.stderr.strip()}")
        facts = json.loads(done.stdout)
        if tuple(facts["version"]) < (3, 11):
            raise DistError(f"{path} is too old: give Python 3.11 or newer with PYTHON=")
        self.version = "{}.{}".format(*facts["version"])
        self.program = self.outside(facts["program"]).resolve()
        self.machine: str = facts["machine"]
        self.library = self.outside(facts["stdlib"])

    def outside(self, path: str) -> Path:
        """Return where a file of the other system is for us."""
        return self.root / path.lstrip("/")

    def libraries(self, file: Path) -> Iterator[Path]:
        """Find the shared libraries that a file needs beside glibc."""
        words = [*self._inside, "ldd", f"/{file.relative_to(self.root)}"]
        for line in subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines():
            matched = re.match(r"\s*(\S+) => (/\S+)", line)
            if matched and not _SYSTEMS.fullmatch(matched[1]):
                yield self.outside(matched[2])


def build(wheel: Path, python: Python, output: Path) -> Path:
    """Make the folder, and pack it."""
    version = wheel.name.split("-")[1]
    folder = output / f"rankwise-{version}-{python.machine}"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "bin").mkdir(parents=True)
    say(f"Python {python.version} of {python.program}")
    library = copy_python(python, folder / "python")
    say("Rankwise, and what it depends on")
    install(wheel, python, library / "site-packages")
    (folder / "modules.bin").write_bytes(archive(folder, library))
    shutil.copy(Path(__file__).with_name("start.py"), folder)
    shutil.copy(Path(__file__).with_name("rankwise.sh"), folder / "bin" / "rankwise")
    (folder / "bin" / "rankwise").chmod(0o755)
    packed = folder.with_name(f"{folder.name}.tar.gz")
    pack(folder, packed)
    return packed


def copy_python(python: Python, place: Path) -> Path:
    """Copy the interpreter, and return the folder of its standard library."""
    (place / "bin").mkdir(parents=True)
    program = place / "bin" / "python3"
    shutil.copy(python.program, program)
    library = place / "lib" / f"python{python.version}"
    ignored = shutil.ignore_patterns(
        *_LEFT_OUT, "config-*", "*.exe", *(f"{name}.*.so" for name in _NOT_NEEDED)
    )
    shutil.copytree(python.library, library, ignore=ignored, symlinks=False)
    needed: set[Path] = set(python.libraries(python.program))
    for module in sorted((library / "lib-dynload").glob("*.so")):
        needed |= set(python.libraries(python.library / "lib-dynload" / module.name))
    for file in sorted(needed):
        shutil.copy(file, place / "lib")
        relocate(place / "lib" / file.name, "$ORIGIN")
    relocate(program, "$ORIGIN/../lib")
    for module in (library / "lib-dynload").glob("*.so"):
        relocate(module, "$ORIGIN/../..")
    return library


def relocate(file: Path, where: str) -> None:
    """Have the loader look for libraries relative to a file."""
    run(TOOLS / "patchelf", "--set-rpath", where, file, cwd=ROOT, environment=os.environ)


def install(wheel: Path, python: Python, place: Path) -> None:
    """Install a wheel and its dependencies for the interpreter that was copied."""
    platforms = [word for platform in _PLATFORMS for word in ("--platform", f"{platform}_{python.machine}")]
    words = [
        "install",
        "--no-compile",
        "--quiet",
        "--disable-pip-version-check",
        "--target",
        str(place),
        "--only-binary=:all:",
    ]
    words += ["--python-version", python.version, "--implementation", "cp", *platforms, str(wheel)]
    run(TOOLS / "pip", *words, cwd=ROOT, environment=os.environ)
    shutil.rmtree(place / "bin", ignore_errors=True)
    for tests in [*place.rglob("tests"), *place.rglob("test")]:
        if tests.is_dir():
            shutil.rmtree(tests)


def modules(library: Path) -> Iterator[tuple[str, Path, bool]]:
    """Give each module whose code goes into the archive: its name, its file, whether it is a package."""
    for top in (library, library / "site-packages"):
        for file in sorted(top.rglob("*.py")):
            parts = file.relative_to(top).with_suffix("").parts
            if parts[0] in (*_NO_CODE, "site-packages", "lib-dynload") or not all(
                map(str.isidentifier, parts)
            ):
                continue
            package = parts[-1] == "__init__"
            yield ".".join(parts[:-1] if package else parts), file, package


def archive(folder: Path, library: Path) -> bytes:
    """Compile all modules by the copied interpreter, and return one file with their code.

    It begins with the length of an index: by name the file, whether it is a package, and where the code is.
    """
    listed = list(modules(library))
    places = [str(file.relative_to(folder)) for _, file, _ in listed]
    targets = [file.with_suffix(".code") for _, file, _ in listed]
    lines = [
        f"{file}\t{place}\t{to}\n" for (_, file, _), place, to in zip(listed, places, targets, strict=True)
    ]
    program = [str(folder / "python" / "bin" / "python3"), "-I", "-S", "-c", _COMPILE]
    subprocess.run(program, input="".join(lines), text=True, check=True)
    everything = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(library)]
    subprocess.run([program[0], "-I", "-S", *everything], check=True, stdout=subprocess.DEVNULL)
    codes = [target.read_bytes() for target in targets]
    for target in targets:
        target.unlink()
    length, index = 0, b""
    while True:  # its own length is in its numbers
        begin, entries = 8 + length, {}
        for (name, _, package), place, code in zip(listed, places, codes, strict=True):
            entries[name] = (place, package, begin, begin + len(code))
            begin += len(code)
        index = marshal.dumps(entries, 2)
        if len(index) == length:
            return length.to_bytes(8, "little") + index + b"".join(codes)
        length = len(index)


def pack(folder: Path, packed: Path) -> None:
    """Pack the folder, with the times of the commit."""
    seconds = int(date_of_commit())

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.mtime, info.uid, info.gid, info.uname, info.gname = seconds, 0, 0, "", ""
        return info

    with tarfile.open(packed, "w:gz", compresslevel=6) as tar:
        tar.add(folder, folder.name, filter=plain)


if __name__ == "__main__":
    sys.exit(main())
