"""A hook is one file: the example in docs/develop/adding-a-transport-hook.md is listed, and compiles."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from examples_of_pages import blocks, link
from test_docs import in_code, page, sections, table

PAGE = "adding-a-transport-hook.md"
ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "src/runtime"
HOOKS = RUNTIME / "hooks"
LISTED = """
#include "hooks.h"
using rankwise::mpich_hooks::all;
static_assert(&rankwise::mpich_hooks::exa == all[0]);
static_assert(&rankwise::mpich_hooks::ucx == all[2]);
static_assert(sizeof all / sizeof *all == 3);
"""


def compiled(source: Path, *folders: Path) -> subprocess.CompletedProcess[str]:
    """Check a source file that may include what hooks include."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    options = ["-std=c++20", "-D_GNU_SOURCE", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror"]
    included = [f"-I{folder}" for folder in (*folders, ROOT / "include")]
    return subprocess.run(
        [*compiler, *options, "-fsyntax-only", *included, source],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_example(tmp_path: Path) -> None:
    """CMake alone puts the file into the list of hooks."""
    cmake = shutil.which("cmake", path=f"{ROOT / 'build/tools/bin'}:{os.environ['PATH']}")
    if cmake is None:
        pytest.skip("needs CMake: make build/tools")
    [source] = blocks(PAGE, "cpp")
    tree, built = tmp_path / "tree", tmp_path / "built"
    link(ROOT, tree, ["src", "runtime", "hooks", "mpich"])
    there = tree / "src/runtime/hooks/mpich"
    (there / "exa.cpp").write_text(source)
    done = subprocess.run(
        [cmake, "-S", tree, "-B", built], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    (tmp_path / "listed.cpp").write_text(LISTED)
    for made in (there / "exa.cpp", tmp_path / "listed.cpp"):
        checked = compiled(made, there, built / "src/runtime")
        assert checked.returncode == 0, checked.stderr
    (there / "exa.cpp").write_text(source.replace("exa::prepare, exa::in_use", "exa::in_use, exa::start"))
    assert compiled(there / "exa.cpp", there, built / "src/runtime").returncode != 0


def test_every_hook_is_on_the_page_of_what_is_seen() -> None:
    rows = table(sections("inside-collectives.md")["What is seen"])
    named = {name for row in rows for name in in_code(row[2])}
    files = [*(HOOKS / "mpich").glob("*.cpp"), HOOKS / "openmpi_pml.h"]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    assert named == set(re.findall(r'Transport [\w:]+ = \{\s*"([^"]+)"', text))
    assert {path.stem for path in (HOOKS / "mpich").glob("*.cpp")} <= named


def test_the_row_fits_the_table() -> None:
    [row] = blocks(PAGE, "markdown")
    known = table(sections("inside-collectives.md")["What is seen"])[0]
    assert row.count("|") - 1 == len(known)


def test_the_page_names_every_part() -> None:
    text = (HOOKS / "transport.h").read_text(encoding="utf-8")
    parts = text.split("struct Transport {")[1].split("};")[0]
    fields = re.findall(r"^  [^/\n]*?(\w+)(?:\)\(.*\))?;", parts, re.MULTILINE)
    parts = table(sections(PAGE)["The parts of a hook"])
    assert [in_code(row[0])[0] for row in parts] == fields


def test_what_the_page_names_is_there() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in RUNTIME.rglob("*.h"))
    named = [word for word in in_code(page(PAGE)) if re.fullmatch(r"\w+(::\w+)+", word)]
    named.remove("mpich_hooks::NAME")
    assert len(named) > 5
    assert [word for word in named if not re.search(rf"\b{word.split('::')[-1]}\b", sources)] == []
