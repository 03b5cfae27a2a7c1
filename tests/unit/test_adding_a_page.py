"""The example in docs/develop/adding-a-page.md makes the data of a page, and a page at its place."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from examples_of_pages import blocks, carried_out
from test_docs import in_code, sections, table

PAGE = "adding-a-page.md"
WEB = Path(__file__).parents[2] / "web"
MADE = """
from pathlib import Path
from made_profile import Made
from rankwise.render.page.container import Container
from rankwise.render.page.contents.run import run_data
from rankwise.render.page.contents.subject import subject
made = run_data(subject(Path("a.rankwise"), Made().connection, Container()), "a")
print(*made["memory"])
"""
LISTED = """
import { expect, test } from "vitest";
import { PAGES } from "./pages.ts";

test("it is among the others", () => {
  const names = PAGES.map(({ name }) => name);
  expect(names.slice(names.indexOf("place"))).toEqual(["place", "memory", "network", "appendix"]);
});
"""


def test_the_data(tmp_path: Path) -> None:
    module, test = blocks(PAGE)
    made = carried_out(tmp_path, "rankwise.render.page.contents.parts", "memory", module, test, MADE)
    [shown] = blocks(PAGE, "ts")
    declared = shown.split("interface MemoryData {")[1].split("}")[0]
    assert made.split() == re.findall(r"^  (\w+): ", declared, re.MULTILINE)


def test_the_page(tmp_path: Path) -> None:
    """One file in a folder of its own is all that the compiler and the list of pages need."""
    if shutil.which("node") is None or not (WEB / "node_modules/.bin/tsc").exists():
        pytest.skip("needs Node.js, and npm ci in web/")
    web = tmp_path / "web"
    shutil.copytree(WEB, web, ignore=shutil.ignore_patterns("node_modules"))
    (web / "node_modules").symlink_to(WEB / "node_modules")
    (web / "src/memory").mkdir()
    (web / "src/memory/page.ts").write_text(blocks(PAGE, "ts")[0])
    (web / "src/shell/memory.test.ts").write_text(LISTED)
    for tool in (["tsc", "--noEmit"], ["vitest", "run", "src/shell/memory.test.ts"]):
        done = subprocess.run(
            [web / "node_modules/.bin" / tool[0], *tool[1:]],
            cwd=web,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_names_every_part() -> None:
    text = (WEB / "src/shell/page_interface.ts").read_text(encoding="utf-8")
    fields = re.findall(r"^  (\w+)\??: ", text.split("interface Page {")[1], re.MULTILINE)
    parts = table(sections(PAGE)["The parts of a page"])
    assert [in_code(row[0])[0] for row in parts] == fields
