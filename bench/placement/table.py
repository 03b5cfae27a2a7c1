"""The lines of the table."""

from __future__ import annotations

from dataclasses import dataclass

from placement.mappers import Mapped

HEAD = (
    f"{'':<19} {'':>6}  {'engine':^33}  {'Scotch, default strategy':^42}  {'ratio of':^13}\n"
    f"{'graph':<19} {'ranks':>6}  {'cost':>10} {'bound':>6} {'CPU s':>7} {'MB':>7}  "
    f"{'cost':>10} {'CPU s':>7} {'MB':>7} {'doubled slots':>15}  {'cost':>6} {'CPU':>6}"
)


TREEMATCH_HEAD = (
    f"{'':<19} {'':>6}  {'TreeMatch, padded':^34}  {'TreeMatch, constraints':^34}\n"
    f"{'graph':<19} {'ranks':>6}" + f"  {'cost':>10} {'CPU s':>7} {'MB':>7} {'ratio':>7}" * 2
)


@dataclass(frozen=True)
class Row:
    """One graph. `scotch` is None if it is not there, or took too long."""

    kind: str
    ranks: int
    engine: Mapped
    scotch: Mapped | None
    bound: float | None

    @property
    def ratio(self) -> float | None:
        """Of the costs: below 1 if the engine's is lower."""
        return None if self.scotch is None else self.engine.cost / self.scotch.cost

    @property
    def is_slower(self) -> bool:
        """Whether the engine took more CPU time."""
        return self.scotch is not None and self.engine.cpu > self.scotch.cpu


def line(row: Row, absent: str) -> str:
    """Lay out one graph; `absent` says why there is nothing of Scotch."""
    ours, theirs = row.engine, row.scotch
    above = "" if row.bound is None else f"{ours.cost / row.bound:.3f}"
    text = f"{row.kind:<19} {row.ranks:>6}  {ours.cost:>10.4g} {above:>6} {ours.cpu:>7.3f} {ours.mb:>7.1f}  "
    if theirs is None or row.ratio is None:
        return f"{text}{absent}"
    mark = "  over" if row.ratio > 1 else ""
    return (
        f"{text}{theirs.cost:>10.4g} {theirs.cpu:>7.3f} {theirs.mb:>7.1f} {theirs.doubled or '':>15}  "
        f"{row.ratio:>6.3f} {ours.cpu / theirs.cpu:>6.2f}{mark}"
    )


def treematch_line(row: Row, results: list[Mapped | None], absent: str) -> str:
    """Lay out one graph: what TreeMatch finds in both ways, and the engine's cost / its cost."""
    columns = []
    for theirs in results:
        if theirs is None:
            columns.append(f"{absent:>34}")
            continue
        ratio = row.engine.cost / theirs.cost
        columns.append(f"{theirs.cost:>10.4g} {theirs.cpu:>7.3f} {theirs.mb:>7.1f} {ratio:>7.3f}")
    return "  ".join([f"{row.kind:<19} {row.ranks:>6}", *columns])
