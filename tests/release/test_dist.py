"""What `make dist` makes: complete, the same bytes each time, and good for the machines that it names."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
from released import DIST, ROOT, TOOLS, interpreter, only, run

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(3600)]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_checksums() -> None:
    lines = only("SHA256SUMS").read_text().splitlines()
    checksums = dict(reversed(line.split("  ")) for line in lines)
    assert checksums == {path.name: digest(path) for path in DIST.iterdir() if path.name in checksums}
    assert {Path(name).suffix for name in checksums} >= {".whl", ".gz", ".json"}


def test_bill_of_materials() -> None:
    packages = json.loads(only("*.spdx.json").read_text())["packages"]
    for package in packages:
        if name := package.get("packageFileName"):
            assert package["checksums"][0]["checksumValue"] == digest(DIST / name)
    assert {"rankwise", "DaveGamble/cJSON", "d3-array", "libstdc++", "numpy"} <= {
        entry["name"] for entry in packages
    }


@pytest.mark.parametrize("architecture", ["x86_64", "aarch64"])
def test_runs_anywhere_since_glibc_2_17(architecture: str) -> None:
    path = only(f"rankwise-*_{architecture}.whl")
    if not (TOOLS / "auditwheel").exists():
        pytest.skip("no auditwheel: make dist")
    said = " ".join(run(TOOLS / "auditwheel", "show", path).stdout.split())
    assert f'following platform tag: "manylinux_2_17_{architecture}"' in said


def test_wheel_names_no_path_of_the_machine(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        assert {
            "rankwise/lib/librankwise.so",
            "rankwise/share/commit",
            "rankwise/include/MPI_Monitoring.h",
        } <= set(names)
        assert any(name.endswith("licenses/src/third_party/cjson/LICENSE") for name in names)
        for name in names:
            assert str(ROOT).encode() not in packed.read(name), name


def test_sources_build_without_a_network(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None or not (TOOLS / "ninja").exists():
        pytest.skip("needs root, unshare and the tools of `make dist`")
    run("tar", "-xf", only("rankwise-*.[0-9].tar.gz"), "-C", tmp_path)
    (tree,) = tmp_path.iterdir()
    words = ("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", tmp_path / "made", tree)
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    run("unshare", "--net", TOOLS / "pip", *words, env=environment)
    assert len(list((tmp_path / "made").glob("*.whl"))) == 1


def test_the_same_bytes(tmp_path: Path, wheel: Path) -> None:
    """In another place."""
    run("git", "clone", "--quiet", ROOT, tmp_path / "clone")
    with zipfile.ZipFile(wheel) as packed:
        commit = packed.read("rankwise/share/commit").decode().strip()
    run("git", "-C", tmp_path / "clone", "checkout", "--quiet", commit)
    words = (TOOLS / "python", tmp_path / "clone" / "release" / "dist.py", "--output", tmp_path / "again")
    run(*words, "--architectures", os.uname().machine, timeout=3000)
    for name in (wheel.name, only("rankwise-*.[0-9].tar.gz").name):
        assert digest(tmp_path / "again" / name) == digest(DIST / name)


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_python(version: str, wheel: Path, profile: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    run(interpreter(version), "-m", "venv", tmp_path / "venv", env=environment)
    binaries = tmp_path / "venv" / "bin"
    run(binaries / "pip", "install", "--quiet", "--only-binary=:all:", wheel, env=environment)
    assert re.fullmatch(
        r"rankwise \S+ \(commit [0-9a-f]{12}\)\n", run(binaries / "rankwise", "--version").stdout
    )
    assert "Alltoallv" in run(binaries / "rankwise", "show", profile).stdout
    run(binaries / "rankwise", "report", profile, "-o", tmp_path / "report.html")
    assert "works" in run(binaries / "rankwise", "doctor").stdout
    # What the documentation says of extras: the file may be named with them.
    asked = f"{wheel}[notebook]"
    said = run(binaries / "pip", "install", "--dry-run", "--only-binary=:all:", asked, env=environment).stdout
    assert "pandas" in said


HEAT = ROOT / "examples" / "heat" / "heat.c"

ENTER = """
root=$1 place=$2; shift 2
mkdir -p "$root/mnt/place" && mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
mount --rbind /sys "$root/sys" && cp /etc/resolv.conf /etc/hosts "$root/etc" &&
mount --bind "$place" "$root/mnt/place" &&
{ [ ! -f "$PIP_CERT" ] || cp "$PIP_CERT" "$root/etc/ssl/certs/ca-certificates.crt"; } &&
exec chroot "$root" env --chdir=/mnt/place HOME=/root "$@"
"""


@pytest.mark.parametrize("release", ["bookworm", "sid"])
def test_bare_debian(release: str, wheel: Path, tmp_path: Path) -> None:
    """Install, run, report, on Debian 12 and with the newest Python: without a compiler."""
    root = ROOT / "build" / release / "root"
    if not root.is_dir() or os.geteuid() != 0:
        pytest.skip(f"no Debian {release} here: make test-release, as root")
    shutil.copy(wheel, tmp_path)
    run("mpicc.openmpi", "-O2", "-o", tmp_path / "heat", HEAT, "-lm")
    try_there(root, tmp_path, "python3 -m venv v && v/bin/pip install --quiet ./*.whl", "v/bin/rankwise")


def test_bare_debian_11(tmp_path: Path) -> None:
    """Its Python is too old, so the folder with a Python of its own."""
    root, folder = ROOT / "build" / "bare-bullseye" / "root", DIST / "bullseye"
    packed = list(folder.glob(f"rankwise-*-{os.uname().machine}.tar.gz"))
    if not root.is_dir() or not packed or os.geteuid() != 0:
        pytest.skip("no Debian 11 here, or no folder that was made there: make test-release, as root")
    shutil.copy(packed[0], tmp_path)
    # A program for its glibc, which is older than ours.
    with_compiler = ROOT / "build" / "bullseye" / "root"
    shutil.copy(HEAT, with_compiler / "tmp" / "heat.c")
    run("chroot", with_compiler, "mpicc.openmpi", "-O2", "-o", "/tmp/heat", "/tmp/heat.c", "-lm")
    shutil.copy(with_compiler / "tmp" / "heat", tmp_path)
    try_there(root, tmp_path, "tar -xf rankwise-*.tar.gz && ln -s rankwise-*/bin/rankwise r", "./r")


def try_there(root: Path, place: Path, install: str, rankwise: str) -> None:
    """Install, record a program that lies there, and look at the profile."""
    script = f"""set -e
    for tool in cc gcc g++ make; do ! command -v $tool; done
    {install}
    {rankwise} --version
    {rankwise} run -o heat.rankwise -- mpirun --oversubscribe -n 2 ./heat 64 5
    {rankwise} show heat.rankwise --by communicator
    {rankwise} report heat.rankwise -o heat.html
    """
    environment = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "PIP_CERT": os.environ.get("PIP_CERT", "/etc/ssl/certs/ca-certificates.crt"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    enter = ("unshare", "--mount", "sh", "-c", ENTER, "sh", root, place)
    said = run(*enter, "sh", "-c", script, env=environment).stdout
    assert "row" in said
    assert (place / "heat.html").stat().st_size > 0


LOADS = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL)) return printf("%s\\n", dlerror()), 1;
  return 0;
}
"""


def test_libraries_for_aarch64_load(tmp_path: Path) -> None:
    """Emulated."""
    sys.path.append(str(ROOT / "tests" / "aarch64"))
    import emulation

    if not emulation.is_set_up():
        pytest.skip("no compiler, emulator or libraries for AArch64 here: see `make test-aarch64`")
    with zipfile.ZipFile(only("rankwise-*_aarch64.whl")) as packed:
        names = [name for name in packed.namelist() if re.search(r"/lib/.*\.so(\.0)?$", name)]
        packed.extractall(tmp_path, names)
    libraries = [tmp_path / name for name in names if (tmp_path / name).read_bytes()[:4] == b"\x7fELF"]
    assert {path.name for path in libraries} >= {"librankwise.so", "librankwise_monitoring.so.0"}
    (tmp_path / "loads.c").write_text(LOADS)
    program = emulation.compile_there(tmp_path / "loads", tmp_path / "loads.c", "-ldl")
    run(*emulation.emulated(program), *libraries)


def test_files_that_a_start_opens(wheel: Path, tmp_path: Path) -> None:
    """From the folder with a Python of its own: a shared file system has to find no more for each node."""
    if shutil.which("strace") is None or not (TOOLS / "patchelf").exists():
        pytest.skip("no strace: apt-get install strace; or no tools: make dist")
    run(
        TOOLS / "python",
        ROOT / "release" / "standalone.py",
        wheel,
        "--python",
        interpreter("3.12"),
        "--output",
        tmp_path,
    )
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    run("mpicc.openmpi", "-O2", "-o", tmp_path / "heat", HEAT, "-lm")
    trace = ("strace", "-f", "-e", "trace=open,openat,execve", "-o", tmp_path / "calls")
    environment = {**os.environ, "PYTHONHOME": "/nowhere", "PYTHONPATH": "/nowhere"}  # another Python's
    started = (
        folder / "bin" / "rankwise",
        "run",
        "-q",
        "-o",
        tmp_path / "p.rankwise",
        "--",
        "./heat",
        "16",
        "1",
    )
    run(*trace, *started, cwd=tmp_path, env=environment)
    lines = (tmp_path / "calls").read_text().splitlines()
    (at,) = (
        number for number, line in enumerate(lines) if 'execve("./heat"' in line and line.endswith("= 0")
    )
    rank = lines[at].split()[0]

    def opened(some: list[str]) -> list[str]:
        return [line for line in some if re.search(r"open.*\) = \d", line) and str(folder) in line]

    start = opened(lines[:at])
    of_rank = opened([line for line in lines[at:] if line.startswith(f"{rank} ")])
    assert len(start) <= 30, "\n".join(start)
    assert len(of_rank) == 1, "\n".join(of_rank)  # librankwise.so


def test_easybuild_takes_its_recipes() -> None:
    """As the program reads them, where it is installed. It refuses to be root, and needs Lmod."""
    program, recipes = shutil.which("eb"), DIST / "recipes" / "easybuild"
    lmod = Path("/usr/share/lmod/lmod/libexec/lmod")
    if program is None or not lmod.exists() or not recipes.is_dir():
        pytest.skip("no EasyBuild or no Lmod: pip install easybuild pycodestyle; or no recipes: make dist")
    as_another = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    # (The folders of tests are root's alone.)
    path = f"{lmod.parent}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as name:
        place, environment = Path(name), {**os.environ, "HOME": name, "LMOD_CMD": str(lmod), "PATH": path}
        place.chmod(0o777)
        for recipe in recipes.glob("*.eb"):
            shutil.copy(recipe, place)
            run(*as_another, program, "--check-style", place / recipe.name, env=environment, cwd=place)
