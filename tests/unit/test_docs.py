"""The documentation names everything that there is, and nothing that there is not."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from rankwise.__main__ import VERBS, parsers
from rankwise.launchers import by_command, rank_variables
from rankwise.live.picture import Activity, Hook, KindTraffic, Pair, Picture, PlaceRow, Rank, WorldPicture
from rankwise.profile.collect.coverage import not_covered
from rankwise.profile.collect.layout import names_of
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.store.database import APPLICATION_ID, SCHEMA, SCHEMA_VERSION

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("*.md", "docs/**/*.md", "bench/*.md", "examples/*/*.md")
    for path in ROOT.glob(pattern)
)


def page(name: str) -> str:
    """The text of a page; names of pages are unique, whatever their folder."""
    [path] = DOCS.rglob(name)
    return path.read_text(encoding="utf-8")


def sections(name: str) -> dict[str, str]:
    """Text of a page by heading, down to the next heading of any level; headings in code are none."""
    return sections_of(page(name))


def sections_of(text: str) -> dict[str, str]:
    lines_of: dict[str, list[str]] = {"": []}
    lines = lines_of[""]
    in_code = False
    for line in text.splitlines():
        in_code ^= line.startswith("```")
        heading = None if in_code else re.match(r"#+ (.*)", line)
        if heading:
            assert heading[1] not in lines_of, heading[1]
            lines = lines_of[heading[1]] = []
        else:
            lines.append(line)
    return {title: "\n".join(text) for title, text in lines_of.items()}


def table(text: str) -> list[list[str]]:
    """Cells of the rows of a section's tables, heads left out."""
    rows = [re.split(r"(?<!\\) ?\| ?", line.strip("|")) for line in text.splitlines() if line.startswith("|")]
    rulers = [i for i, row in enumerate(rows) if set("".join(row)) <= set("-: ")]
    return [[c.strip() for c in row] for i, row in enumerate(rows) if i not in rulers and i + 1 not in rulers]


def in_code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    yield connection
    connection.close()


def test_every_table_and_column(database: sqlite3.Connection) -> None:
    described = sections("profile-format.md")
    tables = [
        name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
    ]
    assert {title for title in described if title.startswith("`")} == {f"`{name}`" for name in tables}
    for name in tables:
        columns = [f"`{c}`" for (c,) in database.execute("SELECT name FROM pragma_table_info(?)", (name,))]
        assert [row[0] for row in table(described[f"`{name}`"])] == columns, name


def test_every_reason_in_dropped() -> None:
    reasons = [f"`{name}`" for _, name in sorted(names_of("dropped").items()) if name != "count"]
    assert [row[0] for row in table(sections("profile-format.md")["Reasons in dropped"])] == reasons


def test_versions() -> None:
    text = sections("profile-format.md")["Versions"]
    assert f"`PRAGMA application_id` is {APPLICATION_ID}" in text
    assert f"now {SCHEMA_VERSION}." in text


def test_queries_run(database: sqlite3.Connection) -> None:
    queries = re.findall(r"```sql\n(.*?)```", page("profile-format.md"), re.DOTALL)
    assert queries
    for query in queries:
        database.execute(query).fetchall()


def test_every_recorded_class() -> None:
    recorded = {procedure.class_name for procedure in PROCEDURES if procedure.recorded}
    others = {procedure.class_name for procedure in PROCEDURES if not procedure.recorded}
    rows = {row[0]: row for row in table(sections("profile-format.md")["`procedures`"])}
    assert set(in_code(rows["`class`"][-1])) == recorded
    not_recorded = sections("how-it-works.md")["What is not recorded yet"]
    assert others <= set(in_code(not_recorded))


def test_coverage_is_that_of_the_trust_line() -> None:
    described = sections("coverage.md")
    outside = in_code(described["Not in the tables"].partition("never part of it")[2])
    assert len(outside) > 5
    assert not_covered(outside) == []
    for procedure in PROCEDURES:
        if procedure.name in outside:  # removed from the standard; known for a new order of MPI_COMM_WORLD
            assert not procedure.recorded
            continue
        [words] = [
            row[1] for row in table(described[procedure.class_name]) if row[0] == f"`{procedure.name}`"
        ]
        assert procedure.recorded == (words in ("recorded", "timed only")), procedure
        passed = words == "passed through" and procedure.class_name != "local"
        name = procedure.name.lower()
        for symbol in (procedure.name, f"{procedure.name}_c", f"{name}_", f"{name}_f08_", f"{name}_f08ts_"):
            assert not_covered([symbol]) == ([procedure.name] if passed else []), symbol


def test_every_byte_rule() -> None:
    described = sections("profile-format.md")
    rows = [
        row for rules in ("Point-to-point", "Collectives", "One-sided") for row in table(described[rules])
    ]
    named = {word.replace("..._", "MPI_Neighbor_") for row in rows for word in in_code(row[0])}
    for procedure in PROCEDURES:
        name = procedure.name
        if procedure.class_name in ("collective", "neighbourhood"):  # one rule for all forms
            name = re.sub(r"MPI_I(\w)", lambda match: f"MPI_{match[1].upper()}", name).removesuffix("_init")
        elif procedure.class_name not in ("point-to-point", "partitioned", "starting", "one-sided"):
            continue
        assert name in named


def test_every_constructor_letter() -> None:
    described = {row[0]: in_code(row[1]) for row in table(sections("how-it-works.md")["Names"])}
    letters: dict[str, list[str]] = {}
    for procedure in PROCEDURES:
        if procedure.letter:
            letters.setdefault(f"`{procedure.letter}`", []).append(procedure.name)
    assert described == letters


def test_every_verb_and_option() -> None:
    described = sections("command-line.md")
    assert all(f"rankwise {verb}" in described["Command line"] for verb in VERBS)
    for name, parser in parsers().items():
        text = described[f"`rankwise {name}`"]
        arguments = [action for action in parser._actions if "-h" not in action.option_strings]
        options = {option for action in arguments for option in action.option_strings}
        assert {word for row in table(text) for word in in_code(row[0]) if word.startswith("-")} == options
        for action in arguments:
            if action.option_strings:
                assert {str(choice) for choice in action.choices or ()} <= set(in_code(text)), action


def test_every_key_of_a_live_picture() -> None:
    described = in_code(sections("command-line.md")["`rankwise top`"])
    for kind in (Picture, WorldPicture, KindTraffic, Hook, PlaceRow, Activity, Pair, Rank):
        assert {field.name for field in fields(kind)} <= set(described), kind


def test_every_launcher() -> None:
    text = sections("command-line.md")["How the environment reaches the ranks"]
    names = {name for name in by_command() if not name.startswith(("mpirun.", "mpiexec.", "ompirun"))}
    assert names <= set(in_code(text))


def test_every_variable_with_a_rank() -> None:
    rows = table(sections("command-line.md")["Environment variables"])
    assert set(rank_variables()) <= {word for row in rows for word in in_code(row[0])}


def test_every_variable_that_the_library_reads() -> None:
    sources = (ROOT / "src" / "runtime").rglob("*.cpp")
    read = {name for source in sources for name in re.findall(r'getenv\("(\w+)"\)', source.read_text())}
    rows = table(sections("command-line.md")["Environment variables"])
    assert {"RANKWISE_DIR", "RANKWISE_MPI"} <= read <= {word for row in rows for word in in_code(row[0])}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        path, _, anchor = target.partition("#")
        if "://" in path:
            continue
        place = (ROOT / name).parent / path if path else ROOT / name
        assert place.exists(), target
        if anchor:
            there = place.read_text(encoding="utf-8")
            slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in sections_of(there)}
            assert anchor in slugs | set(re.findall(r'<a id="([^"]+)">', there)), target


def test_every_fault_has_its_test() -> None:
    rows = [line for line in page("faults.md").splitlines() if line.startswith("|")]
    faults = [row for row in rows if not row.startswith(("| fault", "|---"))]
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("*/test_*.py"))
    for row in faults:
        named = re.findall(r"`(test_\w+)`", row)
        assert named, row
        assert [name for name in named if f"def {name}(" not in tests] == []


def test_sections_that_the_sources_point_to() -> None:
    suffixes = (".h", ".cpp", ".py", ".sql", ".toml")
    for folder in ("src", "api", "python", "tests", "bench"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix not in suffixes:
                continue
            text = path.read_text(encoding="utf-8")
            for name in re.findall(r"docs/([\w/-]+\.md)", text):
                assert (DOCS / name).exists(), (path, name)
            on_one_line = re.sub(r"\n(//|#)? ?", " ", text)
            for name, title in re.findall(r'docs/([\w/-]+\.md),\s"([^"]+)"', on_one_line):
                assert title in sections(name), (path, title)


def test_pages_are_plain() -> None:
    for name in PAGES:
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            assert line == line.rstrip(), (name, number)
            assert not re.search(r"/root/|(?<!/var)/tmp/", line), (name, number)
