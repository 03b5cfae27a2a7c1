"""The lines of the table."""

from __future__ import annotations

import statistics

from latency.measurement import Measured

HEAD = (
    f"{'':>5}  {'pair by pair':>17}  {'tournament':>17}  {'fewer steps':>18}  {'less time':>28}\n"
    f"{'ranks':>5}  {'steps':>6} {'seconds':>10}  {'steps':>6} {'seconds':>10}  "
    f"{'times':>9} {'aim N/2':>8}  {'times':>8} {'lowest':>9} {'highest':>9}  pairs"
)


def line(ranks: int, pairs: list[list[Measured]]) -> str:
    """Lay out what the pairs of runs say: medians, of the ratios as well."""
    serial, loaded = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    ratios = [before.seconds / after.seconds for before, after in pairs]
    fewer = serial[0].steps / loaded[0].steps
    return (
        f"{ranks:>5}  {serial[0].steps:>6} {_seconds(serial):>10}  "
        f"{loaded[0].steps:>6} {_seconds(loaded):>10}  {fewer:>9.1f} {ranks / 2:>8.1f}  "
        f"{statistics.median(ratios):>8.2f} {min(ratios):>9.2f} {max(ratios):>9.2f}  {len(pairs):>5}"
    )


def _seconds(runs: list[Measured]) -> str:
    mark = "" if all(run.whole for run in runs) else "~"
    return f"{mark}{statistics.median(run.seconds for run in runs):.2f}"
