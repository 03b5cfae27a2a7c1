"""A hook is a `Transport`: the example in docs/adding-a-transport-hook.md compiles, and fits the lists."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

from examples_of_pages import blocks
from test_docs import in_code, page, sections, table

PAGE = "adding-a-transport-hook.md"
ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "src/runtime"
HOOKS = RUNTIME / "hooks"


def compiled(source: Path) -> subprocess.CompletedProcess[str]:
    """Check a source file that may include what hooks include."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    options = ["-std=c++20", "-D_GNU_SOURCE", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror"]
    folders = [f"-I{HOOKS}", f"-I{ROOT / 'include'}"]
    return subprocess.run(
        [*compiler, *options, "-fsyntax-only", *folders, source],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_example_compiles(tmp_path: Path) -> None:
    header, source, _ = blocks(PAGE, "cpp")
    (tmp_path / "exa.h").write_text(header)
    (tmp_path / "exa.cpp").write_text(source)
    done = compiled(tmp_path / "exa.cpp")
    assert done.returncode == 0, done.stderr
    (tmp_path / "exa.cpp").write_text(
        source.replace("prepare, in_use, start, stop", "prepare, start, in_use, stop")
    )
    assert compiled(tmp_path / "exa.cpp").returncode != 0


def test_the_lists_have_the_form_that_the_page_shows() -> None:
    *_, offered = blocks(PAGE, "cpp")
    assert offered.count(", &exa::hook") == 1
    assert offered.replace(", &exa::hook", "") in (HOOKS / "mpich_transports.h").read_text(encoding="utf-8")
    assert '#include "../hooks/ucx.h"' in (RUNTIME / "builds/build.h").read_text(encoding="utf-8")
    assert "hooks/ucx.cpp" in (RUNTIME / "CMakeLists.txt").read_text(encoding="utf-8")


def test_the_row_fits_the_table() -> None:
    [row] = blocks(PAGE, "markdown")
    known = table(sections("inside-collectives.md")["What is seen"])[0]
    assert row.count("|") - 1 == len(known)


def test_the_page_names_every_part() -> None:
    text = (HOOKS / "transport.h").read_text(encoding="utf-8")
    parts = text.split("struct Transport {")[1].split("};")[0]
    fields = re.findall(r"^  [^/\n]*?(\w+)(?:\)\(\))?;", parts, re.MULTILINE)
    parts = table(sections(PAGE)["The parts of a hook"])
    assert [in_code(row[0])[0] for row in parts] == fields


def test_what_the_page_names_is_there() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in RUNTIME.rglob("*.h"))
    named = [word for word in in_code(page(PAGE)) if re.fullmatch(r"\w+(::\w+)+", word)]
    assert len(named) > 5
    assert [word for word in named if not re.search(rf"\b{word.split('::')[-1]}\b", sources)] == []
