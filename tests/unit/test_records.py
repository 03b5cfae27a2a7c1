"""Records with many fields are built by name: two values of one type that are swapped are seen by nobody."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python/rankwise"
MOST_BY_POSITION = 8
BY_POSITION = {
    "analysis/calls/communicators.py: Communicator",
    "analysis/calls/files.py: FileCalls",
    "analysis/calls/ranks.py: Rank",
    "analysis/calls/sites.py: SiteRow",
    "analysis/collectives/asked.py: Collective",
    "analysis/last_calls.py: PlaceRow",
    "analysis/messages/matrix.py: Matrix",
    "analysis/messages/pairs.py: Pair",
    "analysis/nodes/system_counters.py: Counts",
    "analysis/overview.py: Run",
    "analysis/timing/efficiency.py: Efficiency",
    "analysis/timing/efficiency.py: Split",
    "analysis/timing/time_line.py: Phase",
    "analysis/timing/time_line.py: RankLine",
    "findings/finding.py: Finding",
    "launch/containers.py: Tool",
    "launch/detect.py: Detection",
    "live/difference.py: Difference",
    "mpi_libraries/base.py: MpiLibrary",
    "views/view.py: Column",
    "views/view.py: Table",
}
"""Records that still take their fields by position, most of them from rows of a query; none may join them."""


def by_position(source: str) -> Iterator[str]:
    """Names of the records in a file that take more fields by position than they may."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ClassDef):
            continue
        made = [ast.unparse(one) for one in (*node.decorator_list, *node.bases)]
        if not any(one.startswith(("dataclass", "NamedTuple")) for one in made):
            continue
        fields = [
            one
            for one in node.body
            if isinstance(one, ast.AnnAssign) and "ClassVar" not in ast.unparse(one.annotation)
        ]
        given = [one for one in fields if one.value is None or "init=False" not in ast.unparse(one.value)]
        if len(given) > MOST_BY_POSITION and not any("kw_only=True" in one for one in made):
            yield node.name


def test_records_of_many_fields_are_built_by_name() -> None:
    found = {
        f"{file.relative_to(PACKAGE)}: {name}"
        for file in PACKAGE.rglob("*.py")
        for name in by_position(file.read_text(encoding="utf-8"))
    }
    assert found == BY_POSITION


def test_a_record_that_is_built_by_position_is_named() -> None:
    fields = "".join(f"    field_{place}: int\n" for place in range(MOST_BY_POSITION + 1))
    assert list(by_position(f"@dataclass(frozen=True)\nclass Wide:\n{fields}")) == ["Wide"]
    assert list(by_position(f"class Wide(NamedTuple):\n{fields}")) == ["Wide"]
    assert not list(by_position(f"@dataclass(frozen=True, kw_only=True)\nclass Wide:\n{fields}"))


def test_arguments_of_the_command_line_stay_in_commands() -> None:
    users = {
        file.relative_to(PACKAGE).parts[0]
        for file in PACKAGE.rglob("*.py")
        if "argparse.Namespace" in file.read_text(encoding="utf-8")
    }
    assert users == {"commands"}
