"""Intel MPI's variables, read by a model of what the library was seen to make of them."""

from __future__ import annotations

import pytest
from settings_made import INTEL, rule, settings

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.tuning.libraries import intel
from rankwise.tuning.libraries.intel import adjustments

MOST = 2147483647


def chosen(value: str, processes: int, size: int) -> int:
    """The preset: limits are upper ones, of processes if any are told, else of sizes; the last holds on."""
    by_processes = "@" in value
    result = 0
    for entry in value.split(";"):
        preset, _, condition = entry.partition(":")
        sizes, _, numbers = condition.partition("@")
        result = int(preset)
        limit = int((numbers if by_processes else sizes).partition("-")[2])
        if (processes if by_processes else size) <= limit:
            break
    return result


def test_processes() -> None:
    [(name, value)] = adjustments([rule("Alltoallv", 8, number=2), rule("Alltoallv", 5, number=1)]).items()
    assert name == "I_MPI_ADJUST_ALLTOALLV"
    assert value == f"0:0-{MOST}@0-4;1:0-{MOST}@5-5;0:0-{MOST}@6-7;2:0-{MOST}@8-8;0:0-{MOST}@9-{MOST}"
    assert [n for n in range(1, 12) if chosen(value, n, 100)] == [5, 8]


def test_sizes() -> None:
    rules = [rule("Allreduce", 5, 4096, 8192, number=2), rule("Allreduce", 5, 0, 64, number=1)]
    [value] = adjustments(rules).values()
    assert value == f"1:0-64;0:65-4095;2:4096-8192;0:8193-{MOST}"
    presets = [chosen(value, 5, size) for size in (0, 64, 65, 4095, 4096, 8192, 8193, MOST)]
    assert presets == [1, 1, 0, 0, 2, 2, 0, 0]


def test_both_at_once_are_refused(golden: Golden) -> None:
    with pytest.raises(RankwiseError, match="not both"):
        adjustments([rule("Allreduce", 5, 4096, 8192), rule("Allreduce", 6, 4096, 8192)])
    with pytest.raises(RankwiseError) as error:
        adjustments([rule("Alltoallv", 5, 4096, 8192)])
    golden.says(error.value)


def test_what_else_changes_is_told(golden: Golden) -> None:
    translation = intel.Intel().translate(
        settings(rule("Bcast", 5, 8, 8), library=INTEL, environment={"I_MPI_FABRICS": "shm"}), None
    )
    assert translation.variables_for("") == {
        "I_MPI_ADJUST_BCAST": f"0:0-7;3:8-8;0:9-{MOST}",
        "I_MPI_FABRICS": "shm",
    }
    golden.says("\n\n".join(translation.notes), "MPI_Bcast")
    assert intel.Intel().translate(settings(library=INTEL), None).notes == ()
