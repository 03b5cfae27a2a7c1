"""Reading ELF files and following the loader, with small files from the C compiler."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rankwise.launch import elf, loader

CC = shutil.which("cc")
pytestmark = pytest.mark.skipif(CC is None, reason="no C compiler")


def build(output: Path, source: str, *options: str) -> Path:
    output.parent.mkdir(parents=True, exist_ok=True)
    command = [str(CC), "-x", "c", "-", "-x", "none", "-o", str(output), *options]
    subprocess.run(command, input=source, text=True, check=True, timeout=60)
    return output


def library(path: Path, source: str = "int unused;", *options: str) -> Path:
    return build(path, source, "-shared", "-fPIC", f"-Wl,-soname,{path.name}", *options)


def linked(directory: Path) -> list[str]:
    return ["-Wl,--no-as-needed", f"-L{directory}"]


def names(program: Path, **environment: str) -> tuple[dict[str, Path], tuple[str, ...]]:
    image = elf.read(program)
    assert image is not None
    tree = loader.Loader(environment).tree(image)
    return {i.path.name: i.path.resolve() for i in tree.images[1:]}, tree.missing


def test_finds_by_runpath_with_origin(tmp_path: Path) -> None:
    inner = library(tmp_path / "lib/libinner.so.1")
    program = build(
        tmp_path / "bin/program",
        "int main(){}",
        "-Wl,--no-as-needed",
        str(inner),
        "-Wl,-rpath,$ORIGIN/../lib",
    )
    paths, missing = names(program)
    assert paths["libinner.so.1"] == inner.resolve()
    assert missing == ()


def test_runpath_is_not_inherited_but_rpath_is(tmp_path: Path) -> None:
    inner = library(tmp_path / "lib/libinner.so.1")
    outer = library(tmp_path / "lib/libouter.so.1", "int outer;", "-Wl,--no-as-needed", str(inner))
    options = [
        "-Wl,--no-as-needed",
        str(outer),
        f"-Wl,-rpath,{outer.parent}",
        f"-Wl,-rpath-link,{outer.parent}",
    ]
    new = build(tmp_path / "new", "int main(){}", *options, "-Wl,--enable-new-dtags")
    old = build(tmp_path / "old", "int main(){}", *options, "-Wl,--disable-new-dtags")
    assert names(new)[1] == ("libinner.so.1",)
    assert names(old)[1] == ()


def test_library_path_comes_before_runpath_and_after_rpath(tmp_path: Path) -> None:
    first = library(tmp_path / "first/libinner.so.1")
    second = library(tmp_path / "second/libinner.so.1")
    options = ["-Wl,--no-as-needed", str(first), f"-Wl,-rpath,{first.parent}"]
    runpath = build(tmp_path / "runpath", "int main(){}", *options, "-Wl,--enable-new-dtags")
    rpath = build(tmp_path / "rpath", "int main(){}", *options, "-Wl,--disable-new-dtags")
    path = str(second.parent)
    assert names(runpath, LD_LIBRARY_PATH=path)[0]["libinner.so.1"] == second.resolve()
    assert names(rpath, LD_LIBRARY_PATH=path)[0]["libinner.so.1"] == first.resolve()


def test_passes_over_what_is_no_library(tmp_path: Path) -> None:
    inner = library(tmp_path / "lib/libinner.so.1")
    program = build(tmp_path / "program", "int main(){}", "-Wl,--no-as-needed", str(inner))
    (tmp_path / "text").mkdir()
    (tmp_path / "text/libinner.so.1").write_text("INPUT(libinner.so)")
    assert (
        names(program, LD_LIBRARY_PATH=f"{tmp_path}/text:{inner.parent}")[0]["libinner.so.1"]
        == inner.resolve()
    )


def test_tells_imported_from_defined(tmp_path: Path) -> None:
    inner = library(tmp_path / "libinner.so.1", "int MPI_Send(void) { return 0; }")
    source = "int MPI_Send(void); int own(void) { return 1; } int main() { return MPI_Send() + own(); }"
    program = build(tmp_path / "program", source, str(inner))
    assert "MPI_Send" in elf.imported_symbols(program)
    asked = {"MPI_Send", "own", "nothing", "wn"}  # (the last is how another one ends)
    assert elf.defined_symbols(program, asked) == {"own"}
    assert elf.defined_symbols(inner, asked) == {"MPI_Send"}


def without_sections(program: Path, output: Path) -> Path:
    """Copy a 64-bit program, without the headers of its sections."""
    content = bytearray(program.read_bytes())
    content[40:48] = bytes(8)  # e_shoff
    content[60:62] = bytes(2)  # e_shnum
    output.write_bytes(content)
    return output


@pytest.mark.parametrize("style", ["gnu", "sysv"])
def test_reads_symbols_by_hash_tables_where_there_are_no_sections(tmp_path: Path, style: str) -> None:
    source = "int MPI_Send(void); int own(void) { return 1; } int main() { return MPI_Send() + own(); }"
    whole = library(tmp_path / "libwhole.so", source, f"-Wl,--hash-style={style}")
    bare = without_sections(whole, tmp_path / "libbare.so")
    assert elf.imported_symbols(bare) == elf.imported_symbols(whole) >= {"MPI_Send"}
    assert elf.defined_symbols(bare, {"own", "MPI_Send"}) == {"own"}


def test_reads_what_ldconfig_knows(tmp_path: Path) -> None:
    cache = Path("/etc/ld.so.cache")
    tool = shutil.which("ldconfig", path="/sbin:/usr/sbin")
    if tool is None or not cache.exists():
        pytest.skip("no ldconfig here")
    listing = subprocess.run([tool, "-p"], capture_output=True, text=True, check=True).stdout
    known: dict[str, list[str]] = {}
    for name, path in re.findall(r"^\s+(\S+) \(.*=> (\S+)$", listing, re.MULTILINE):
        known.setdefault(name, []).append(path)
    assert loader.read_cache(cache) == known != {}
    broken = tmp_path / "cache"
    broken.write_bytes(cache.read_bytes()[:100])
    assert loader.read_cache(broken) == {}
    broken.write_bytes(b"something else")
    assert loader.read_cache(broken) == {}


@pytest.mark.parametrize("option", ["-static", "-static-pie"])
def test_knows_a_static_program(tmp_path: Path, option: str) -> None:
    try:
        program = build(tmp_path / "program", "int main(){}", option)
    except subprocess.CalledProcessError:
        pytest.skip(f"the C compiler has no {option}")
    image = elf.read(program)
    assert image is not None
    assert not image.dynamic


def test_survives_what_is_no_elf_file(tmp_path: Path) -> None:
    program = build(tmp_path / "program", "int main(){}")
    content = program.read_bytes()
    for length in (0, 3, 4, 40, 64, 500, len(content) // 2):
        broken = tmp_path / f"broken{length}"
        broken.write_bytes(content[:length])
        elf.read(broken)  # whatever it says, it says it without an exception
        elf.imported_symbols(broken)
        elf.defined_symbols(broken, {"main"})
    assert elf.read(tmp_path / "absent") is None
    assert elf.read(tmp_path) is None
    assert not elf.is_elf(tmp_path)
    assert not elf.mentions(tmp_path / "broken0", "main")
