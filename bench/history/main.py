"""What `rankwise history` and `rankwise variance` find and miss, and what they find that is not there."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.runs.change_points import change_points
from rankwise.runs.correlation import rank_correlations
from rankwise.runs.significance import LEVEL, corrected

Values = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Values]

_NOISE = 0.03  # of the run time
_NEAR = 1  # commits
_SHIFTS = (0.02, 0.04, 0.08)  # of the run time
_CANDIDATES = 60
_RUNS = (8, 12, 20, 40)
_SHARED = 0.9  # correlation of the planted candidate with the run time


def _normal(random: np.random.Generator, n: int) -> Values:
    return 1 + _NOISE * random.normal(size=n)


def _heavy(random: np.random.Generator, n: int) -> Values:
    """A tenth of the runs takes ten times as much longer."""
    values: Values = 1 + _NOISE * random.exponential(size=n) * random.choice([1.0, 10.0], n, p=[0.9, 0.1])
    return values


NOISES: dict[str, Noise] = {"normal": _normal, "heavy": _heavy}


@dataclass(frozen=True)
class Row:
    """A line of the table: shares of the trials in percent.

    Attributes:
        what: is tried.
        found: the planted change or candidate; None = nothing is planted.
        exact: at its place.
        near: at most a commit away.
        false: something else is found.
    """

    what: str
    found: float | None
    exact: float | None
    near: float | None
    false: float


def history_row(name: str, commits: int, shift: float, begin: int, end: int, trials: int) -> Row:
    """Return how often a change is found.

    Args:
        name: of the noise.
        commits: of a history.
        shift: of the run time, as a share; 0 = no change.
        begin: index of the first changed commit.
        end: behind the last one.
        trials: number of histories.
    """
    random = np.random.default_rng(trials * commits + begin)
    planted = [cut for cut in (begin, end) if shift and cut < commits]
    counts = dict.fromkeys(("found", "exact", "near", "false"), 0)
    for _ in range(trials):
        values = NOISES[name](random, commits)
        values[begin:end] *= 1 + shift
        points = [point.begin for point in change_points(values.tolist())]
        near = [min((abs(point - cut) for point in points), default=commits) for cut in planted]
        counts["found"] += len(points) >= max(len(planted), 1)
        counts["exact"] += max(near, default=1) == 0
        counts["near"] += max(near, default=commits) <= _NEAR
        counts["false"] += len(points) > len(planted)
    share = {key: 100 * count / trials for key, count in counts.items()}
    where = f", {100 * shift:g} % in {begin}-{end - 1}" if planted else ", no change"
    what = f"{commits} commits, {name} noise{where}"
    if not planted:
        return Row(what, None, None, None, share["false"])
    return Row(what, share["found"], share["exact"], share["near"], share["false"])


def variance_row(runs: int, shared: float, trials: int) -> Row:
    """Return how often the candidate that the run time goes with is found among others.

    Args:
        runs: number of them.
        shared: its correlation with the run time; 0 = nothing is planted.
        trials: number of sets of runs.
    """
    random = np.random.default_rng(trials * runs)
    found = false = 0
    for _ in range(trials):
        candidates = random.normal(size=(_CANDIDATES, runs))
        wall = shared * candidates[0] + np.sqrt(1 - shared**2) * random.normal(size=runs)
        _, chances = rank_correlations(wall, candidates)
        sure = [chance <= LEVEL for chance in corrected(chances.tolist())]
        found += sure[0]
        false += any(sure[1:]) or (sure[0] and not shared)
    what = f"{runs} runs, {_CANDIDATES} candidates"
    if not shared:
        return Row(f"{what}, nothing planted", None, None, None, 100 * false / trials)
    return Row(f"{what}, one with {shared:g}", 100 * found / trials, None, None, 100 * false / trials)


def table(rows: Sequence[Row]) -> str:
    """Lay the rows out as text."""
    width = max(len(row.what) for row in rows)
    lines = [f"{'%':{width}}  found  exact   near  false"]
    for row in rows:
        cells = ["    -" if value is None else f"{value:5.1f}" for value in (row.found, row.exact, row.near)]
        lines.append(f"{row.what:{width}}  {'  '.join([*cells, f'{row.false:5.1f}'])}")
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Print the table, and write it as JSON on request."""
    parser = argparse.ArgumentParser(prog="python bench history", description=__doc__)
    parser.add_argument("--trials", type=int, default=200, help="for each row (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args(arguments)
    trials: int = options.trials
    began = time.process_time()
    rows = [history_row(name, commits, 0, 0, 0, trials) for commits in (10, 40, 100) for name in NOISES]
    for name in NOISES:
        rows += [history_row(name, 40, shift, 25, 40, trials) for shift in _SHIFTS]
        rows.append(history_row(name, 40, _SHIFTS[-1], 15, 25, trials))
        rows += [history_row(name, 40, _SHIFTS[-1], 40 - newest, 40, trials) for newest in (2, 3, 4, 5)]
    rows += [variance_row(runs, shared, trials) for shared in (0.0, _SHARED) for runs in _RUNS]
    print(table(rows))
    print(f"\n{trials} trials a row, {time.process_time() - began:.0f} s of processor time")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
