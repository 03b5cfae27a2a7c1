"""The constants of MPI_Monitoring.h are the same in the runtime, in Fortran and in Python."""

from __future__ import annotations

import re
from pathlib import Path

from rankwise.introspection.errors import ERRORS
from rankwise.introspection.kinds import FLAGS, VISIBLE

ROOT = Path(__file__).parents[2]
INTROSPECTION = ROOT / "src" / "introspection"


def values(path: Path, pattern: str) -> dict[str, int]:
    return {
        name.lower(): int(value)
        for name, value in re.findall(pattern, path.read_text(encoding="utf-8"), re.M)
    }


HEADER = values(ROOT / "include" / "rankwise" / "MPI_Monitoring.h", r"^ +MPI_M_(\w+) = (\d+)")


def test_runtime() -> None:
    errors = values(INTROSPECTION / "errors.h", r"^ +(\w+) = (\d+)")
    flags = values(INTROSPECTION / "counts.h", r"\b(\w+_only) = (\d+)")
    assert errors.pop("success") == 0
    visible = values(INTROSPECTION / "members.h", r"\b(visible_\w+) = (\d+)")
    # Several flags together have no name of their own there.
    assert {**errors, **flags, **visible, "all_comm": 7} == HEADER
    assert flags["p2p_only"] | flags["coll_only"] | flags["osc_only"] == HEADER["all_comm"]


def test_fortran() -> None:
    fortran = values(INTROSPECTION / "MPI_Monitoring.f90", r"MPI_M_(\w+) = (\d+)")
    assert {name: value for name, value in fortran.items() if name not in ("all_msid", "data_kind")} == HEADER


def test_python() -> None:
    errors = {name: value for value, (name, _) in ERRORS.items()}
    assert {
        name.removeprefix("MPI_M_").lower(): value for name, value in {**errors, **FLAGS, **VISIBLE}.items()
    } == HEADER


def test_documented() -> None:
    page = (ROOT / "docs" / "reference" / "introspection.md").read_text(encoding="utf-8")
    assert [name for name in HEADER if f"`MPI_M_{name.upper()}`" not in page] == []
