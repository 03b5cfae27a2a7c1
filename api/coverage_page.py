"""Writes docs/reference/coverage.md: what Rankwise does with each MPI procedure, and who has it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path

from table import Procedure, Table

LIBRARIES = Path(__file__).with_name("libraries.json")

INTRODUCTION = """\
# Coverage

What Rankwise does with each of the {count} procedures of MPI 5.0 (and so of 4.1) that C programs can call,
and with those of libraries' own (`MPIX_`) that it records, and which libraries have them. This page is
generated from the table that the library itself is generated from (`make generate`); `make lint` fails when
it is stale.

| word | meaning |
|---|---|
| recorded | calls and time, and what the call moves, completes or makes: bytes, messages, communicators |
| timed only | calls and time; there is nothing more to it, or no more is known |
| passed through | the call reaches the MPI library untouched and nothing is booked |

Procedures that are passed through are of class `local` when no communication hides behind them. All others of
them are named in the trust line of a summary, `not covered`, when the program imports them.

In the columns of the libraries: **yes** = has the procedure, **yes, _c** = and its large-count twin, which is
treated alike; empty = lacks it. A program can only call what its library has. Libraries were read with
`api/import_libraries.py`; "ABI" is the library's side of the MPI 5 standard ABI (`libmpi_abi.so.1`).

## Not in the tables

- **Other procedures of libraries' own** (`MPIX_Put_notify`, ...) are passed through. The trust line
  names those behind which communication may hide, `not covered`, when the program imports them.
- **`MPI_T_`**, the interface for tools, is left alone. A call by a **`PMPI_`** name counts as the procedure
  ([how](../explanation/how-it-works.md#other-tools)).
- **Fortran.** Procedures of the bindings `mpif.h`, `mpi` and `mpi_f08` arrive at the rows of the same name
  ([how](../explanation/how-it-works.md#fortran)). What exists in Fortran alone (`MPI_Sizeof`,
  `MPI_F_sync_reg`) communicates nothing and is passed through.
- **Removed from the standard** or never part of it, but in some of the libraries; communicating nothing and
  passed through:
{outside}

## In figures

Procedures that the library has; in brackets: those of them that communicate nothing (`local`).

{figures}
"""


class Coverage(Enum):
    """How a procedure is recorded, in the words of the page."""

    RECORDED = "recorded"
    TIMED = "timed only"
    PASSED = "passed through"


def coverage(procedure: Procedure) -> Coverage:
    """Follows from the rule: messages and objects of a call are booked after it, or by a custom wrapper."""
    if procedure.rule is None:
        return Coverage.PASSED
    books = procedure.rule.keys() & {"after", "finally", "custom"}
    return Coverage.RECORDED if books else Coverage.TIMED


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of the page."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


class Page:
    """The page, from the table and what the libraries have."""

    def __init__(self, table: Table) -> None:
        facts = json.loads(LIBRARIES.read_text(encoding="utf-8"))
        self._procedures = [p for p in table.procedures if p.standard or p.rule]
        self._libraries: list[str] = facts["libraries"]
        self._having: dict[str, list[str]] = facts["functions"]

    def _has(self, library: str, procedure: Procedure) -> str:
        """Cell of a procedure and a library."""
        own, *twin = (library in self._having.get(f.name, []) for f in procedure.bindings)
        return "yes, _c" if own and any(twin) else "yes" if own else ""

    def _outside(self) -> str:
        """What the libraries have and the table doesn't."""
        in_table = {f.name for p in self._procedures for f in p.bindings}
        names = ", ".join(f"`{name}`" for name in self._having if name not in in_table)
        return textwrap.fill(f"{names}.", 110, initial_indent="  ", subsequent_indent="  ")

    def _figures(self) -> str:
        rows = []
        for kind in Coverage:
            of_kind = [p for p in self._procedures if coverage(p) is kind]
            cells = [kind.value]
            for library in self._libraries:
                there = [p for p in of_kind if self._has(library, p)]
                local = sum(p.class_name == "local" for p in there)
                cells.append(f"{len(there)} ({local})" if local else str(len(there)))
            rows.append(cells)
        return markdown_table(["", *self._libraries], rows)

    def _section(self, class_name: str) -> str:
        of_class = [p for p in self._procedures if p.class_name == class_name]
        rows = [
            [f"`{p.name}`", coverage(p).value, *(self._has(library, p) for library in self._libraries)]
            for p in of_class
        ]
        return f"## {class_name}\n\n" + markdown_table(["procedure", "", *self._libraries], rows)

    def text(self) -> str:
        """The whole page."""
        classes = sorted({p.class_name for p in self._procedures}, key=lambda c: (c == "local", c))
        introduction = INTRODUCTION.format(
            count=sum(p.name.startswith("MPI_") for p in self._procedures),
            outside=self._outside(),
            figures=self._figures(),
        )
        return "\n\n".join([introduction.rstrip(), *map(self._section, classes)]) + "\n"


def coverage_md(table: Table) -> str:
    """The page."""
    return Page(table).text()
