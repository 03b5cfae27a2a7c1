"""Total, average and extremes over the ranks: the block that -v adds to the summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.text import Text

from rankwise.analysis.spread import Spread
from rankwise.analysis.times import Balance
from rankwise.report.page import Page
from rankwise.report.tables import Column, table_lines
from rankwise.report.units import byte_text, percent_text, second_text


@dataclass(frozen=True)
class _Line:
    name: str
    spread: Spread
    text: Callable[[float], str]


_COLUMNS: list[Column[_Line]] = [
    Column("over the ranks", lambda line: line.name),
    Column(
        "[total]", lambda line: "-" if line.spread.total is None else line.text(line.spread.total), right=True
    ),
    Column("<avg>", lambda line: line.text(line.spread.average), right=True),
    Column("min", lambda line: line.text(line.spread.minimum), right=True),
    Column("rank", lambda line: str(line.spread.minimum_rank), right=True),
    Column("max", lambda line: line.text(line.spread.maximum), right=True),
    Column("rank", lambda line: str(line.spread.maximum_rank), right=True),
]


def balance_lines(page: Page, balance: Balance) -> list[Text]:
    """Return the block, one line a quantity."""
    lines = [
        _Line("wall", balance.wall_seconds, second_text),
        _Line("user", balance.user_seconds, second_text),
        _Line("system", balance.system_seconds, second_text),
        _Line("mpi", balance.mpi_seconds, second_text),
        _Line("init, finalize", balance.init_finalize_seconds, second_text),
        _Line("%comm (mpi of run)", balance.mpi_percent_of_run, lambda share: f"{percent_text(share)} %"),
        _Line("sent", balance.bytes_sent, byte_text),
    ]
    return table_lines(page, _COLUMNS, lines)
