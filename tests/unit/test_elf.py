"""Reading ELF files and following the loader, with small files from the C compiler."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rankwise.launch import elf

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
    tree = elf.Loader(environment).tree(image)
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
    found, missing = names(program)
    assert found["libinner.so.1"] == inner.resolve()
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
    assert "MPI_Send" not in elf.defined_symbols(program)
    assert "own" in elf.defined_symbols(program)
    assert "MPI_Send" in elf.defined_symbols(inner)


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
        elf.defined_symbols(broken)
    assert elf.read(tmp_path / "absent") is None
    assert elf.read(tmp_path) is None
    assert not elf.is_elf(tmp_path)
    assert not elf.mentions(tmp_path / "broken0", "main")
