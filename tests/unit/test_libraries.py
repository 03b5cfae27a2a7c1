"""What our libraries ask of the system's: no more than a glibc of 2012 has, and musl."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rankwise import _files
from rankwise.launch import elf

LIBC = Path(__file__).parents[2] / "src" / "libc"
REFERENCES = Path(__file__).parents[1] / "references"
MUSL = Path(f"/usr/lib/{platform.machine()}-linux-musl/libc.so")
NEWEST = (2, 17)
# musl takes these names, whatever follows the dot, for its own.
MONITORING, PLACEMENT = "librankwise_monitoring.so.0", "librankwise_placement.so.0"
LIBRARIES = ("librankwise.so", MONITORING, PLACEMENT, "librankwise_watch.so")
PARTS = {"libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"}

pytestmark = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or platform.machine() not in ("x86_64", "aarch64"),
    reason="only x86-64 and AArch64 have stand-ins of old versions",
)


class Reference(NamedTuple):
    name: str
    version: str
    weak: bool


def references(library: Path) -> Iterator[Reference]:
    words = ["readelf", "--dyn-syms", "--wide", library]
    shown = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout
    for line in shown.splitlines():
        match = re.search(r" (GLOBAL|WEAK) +DEFAULT +UND (\w+)(?:@(\w+[\w.]*))?", line)
        if match is not None:
            binding, name, version = match.groups()
            yield Reference(name, version or "", binding == "WEAK")


def symbols() -> dict[str, bool]:
    """The functions of the stand-ins, and whether musl has them."""
    functions = {}
    for source in LIBC.glob("lib*.S"):
        for name, remark in re.findall(r"^ *symbol (\w+), [\d.]+(.*)", source.read_text(), re.MULTILINE):
            functions[name] = "not musl" not in remark
    return functions


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Path:
    return _files.installed(f"lib/{request.param}")


def test_versions(library: Path) -> None:
    asked = {reference.version for reference in references(library) if reference.version}
    assert asked
    for version in asked:
        assert version.startswith("GLIBC_")
        assert tuple(map(int, version.removeprefix("GLIBC_").split("."))) <= NEWEST, version


def test_musl_has_all(library: Path) -> None:
    known = symbols()
    strong = {reference.name for reference in references(library) if not reference.weak}
    assert strong or library.name == MONITORING
    assert {name for name in strong if not known.get(name)} == set()


def test_needed(library: Path) -> None:
    image = elf.read(library)
    assert image is not None
    assert set(image.needed) <= PARTS
    assert image.rpath == ()
    # The library that programs are linked with finds the one that does the work beside itself.
    assert image.runpath == ((str(library.parent),) if library.name == MONITORING else ())


def exported(library: str) -> set[str]:
    words = ["nm", "--dynamic", "--defined-only", "--format=posix", _files.installed(f"lib/{library}")]
    shown = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout
    return {line.split()[0] for line in shown.splitlines()}


def test_what_programs_link_with_has_the_functions_of_the_header() -> None:
    functions = {name for name in exported("librankwise.so") if name.startswith("MPI_M_")}
    assert "MPI_M_init" in functions
    assert exported(MONITORING) == {*functions, "rankwise_linked"}


def interface() -> dict[str, set[str]]:
    """What programs may call, by library: tests/references/interface.txt."""
    functions: dict[str, set[str]] = {}
    for line in (REFERENCES / "interface.txt").read_text().splitlines():
        if not line.startswith("#"):
            library, name = line.split()
            functions.setdefault(library, set()).add(name)
    return functions


@pytest.mark.parametrize("library", [MONITORING, PLACEMENT])
def test_interface_is_kept(library: str) -> None:
    # Nothing is taken away from a library that programs are linked with, unless its number rises; what is
    # new is added to the list.
    assert exported(library) == interface()[library]


@pytest.mark.parametrize("library", [MONITORING, PLACEMENT])
def test_name_has_the_number_of_the_interface(library: str) -> None:
    words = ["readelf", "--dynamic", "--wide", _files.installed(f"lib/{library}")]
    shown = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout
    assert re.findall(r"\(SONAME\).*\[(.*)\]", shown) == [library]


@pytest.mark.parametrize("library", [MONITORING, PLACEMENT])
def test_linker_finds_them_without_the_number(library: str, tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text("int main(void) { return 0; }\n")
    place = _files.installed(f"lib/{library}").parent
    name = library.removeprefix("lib").partition(".")[0]
    words = ["cc", source, "-o", program, f"-L{place}", "-Wl,--no-as-needed", f"-l{name}"]
    subprocess.run(words, check=True, timeout=60)
    image = elf.read(program)
    assert image is not None
    assert library in image.needed


def test_the_preloaded_one_needs_no_other_library() -> None:
    # Every process would have to load it.
    image = elf.read(_files.installed("lib/librankwise.so"))
    assert image is not None
    assert image.needed == ("libc.so.6",)


@pytest.mark.skipif(not MUSL.exists(), reason="no musl: apt-get install musl-tools")
def test_list_of_musl() -> None:
    known = symbols()
    assert elf.defined_symbols(MUSL, known) == {name for name, has in known.items() if has}
