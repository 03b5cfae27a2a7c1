"""A format is one module: `--fabric` finds the example in docs/develop/adding-a-fabric-format.md."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from examples_of_pages import blocks, carried_out
from test_docs import in_code, sections, table

from rankwise.network.sources.formats import omnipath
from rankwise.network.sources.parts import Reader

PAGE = "adding-a-fabric-format.md"
SEEN = """
from rankwise.network.sources.formats import exalinks
from rankwise.network.sources.readers import KNOWN, READERS
print(*[reader.kind for reader in READERS])
print(exalinks.WORDS in KNOWN)
"""


def test_the_example(tmp_path: Path) -> None:
    module, test = blocks(PAGE)
    kinds, listed = carried_out(
        tmp_path, "rankwise.network.sources.formats", "exalinks", module, test, SEEN
    ).splitlines()
    assert kinds.split()[-3:] == ["exalinks", "opareport", "slurm"]
    assert listed == "True"


def test_the_row_fits_the_table() -> None:
    [row] = blocks(PAGE, "markdown")
    columns = {len(known) for known in table(sections("fabrics.md")["What can be read"])}
    assert columns == {row.count("|") - 1}


def test_the_page_names_every_part() -> None:
    parts = sections(PAGE)
    named = [in_code(row[0])[0] for row in table(parts["The parts of a reader"])]
    assert named == [field.name for field in fields(Reader)]
    named = [in_code(row[0])[0] for row in table(parts["The parts of a module"])]
    assert named == [name for name in vars(omnipath) if name.isupper()]
