"""The example in docs/adding-a-page.md makes the data of a page, and its TypeScript fits the lists."""

from __future__ import annotations

import re
from pathlib import Path

from examples_of_pages import blocks, carried_out
from test_docs import in_code, page, sections, table

PAGE = "adding-a-page.md"
WEB = Path(__file__).parents[2] / "web/src"
MADE = """
from pathlib import Path
from made_profile import Made
from rankwise.render.page.container import Container
from rankwise.render.page.contents import run
from rankwise.render.page.contents.memory import memory_data
from rankwise.render.page.contents.subject import subject
run._PARTS |= {ROW}
made = run.run_data(subject(Path("a.rankwise"), Made().connection, Container()), "a")
print(*made["memory"])
"""


def text_of(name: str) -> str:
    return (WEB / name).read_text(encoding="utf-8")


def test_the_example(tmp_path: Path) -> None:
    [row] = re.findall(r'`("memory": \w+)`', page(PAGE))
    module, test = blocks(PAGE)
    made = carried_out(
        tmp_path,
        "rankwise.render.page.contents",
        "memory",
        module,
        test,
        MADE.replace("ROW", row),
    )
    [contract] = [block for block in blocks(PAGE, "ts") if "export interface" in block]
    assert made.split() == re.findall(r"^  (\w+): ", contract, re.MULTILINE)


def test_the_lists_have_the_form_that_the_page_shows() -> None:
    shown, listed = blocks(PAGE, "ts")[1:]
    assert listed.replace("memory", "sites") in text_of("shell/pages.ts")
    assert "  sitesPage,\n" in text_of("shell/pages.ts")
    assert "  sites?: SitesData;\n" in text_of("contract.ts")
    assert "`memory?: MemoryData;`" in page(PAGE)
    assert "export const memoryPage: Page = {" in shown
    assert "export const sitesPage: Page = {" in text_of("sites/page.ts")


def test_what_the_example_imports_is_there() -> None:
    found = re.findall(
        r'import (?:type )?\{ (\w+) \} from "\.\./((?:shell|ui)/\w+\.ts)"', "".join(blocks(PAGE, "ts"))
    )
    assert len(found) == 3
    for name, path in found:
        assert re.search(rf"^export (?:\w+ )+{name}\b", text_of(path), re.MULTILINE), name


def test_the_page_names_every_part() -> None:
    fields = re.findall(r"^  (\w+)\??: ", text_of("shell/page.ts").split("interface Page {")[1], re.MULTILINE)
    parts = table(sections(PAGE)["The parts of a page"])
    assert [in_code(row[0])[0] for row in parts] == fields
