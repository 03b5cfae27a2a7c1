"""The printed tables: times with intervals, and bytes between nodes."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from rankwise.trials.interval import Interval
from reorder.inside import Gain, Tree
from reorder.programs import SIDES
from reorder.relaunched import Relaunched
from reorder.two_ways import TwoWays


def interval(ratio: Interval) -> str:
    """Show a ratio and its interval."""
    return f"{ratio.ratio:7.2f} {f'[{ratio.low:.2f}, {ratio.high:.2f}]':>16}  {ratio.verdict}"


def times(results: Sequence[Relaunched]) -> str:
    """Make a line for each program: how long it takes in both orders."""
    lines = [f"{'program':<10} {'before s':>9} {'after s':>9} {'before / after':>24}"]
    for result in results:
        before, after = (statistics.median(runs.seconds) for runs in (result.before, result.after))
        lines.append(f"{result.name:<10} {before:>9.3f} {after:>9.3f} {interval(result.ratio)}")
    return "\n".join(lines)


def orders(results: Sequence[Relaunched]) -> str:
    """Make a line for each program: its time and bytes by a file for the launcher, and by --place."""
    lines = [f"{'program':<10} {'file s':>9} {'--place s':>9} {'--place / file':>24} {'':<20} off node MB"]
    for result in results:
        by_file, by_order = (statistics.median(runs.seconds) for runs in (result.after, result.ordered))
        sizes = ", ".join(f"{runs.counted / 1e6:.2f}" for runs in (result.after, result.ordered))
        lines.append(
            f"{result.name:<10} {by_file:>9.3f} {by_order:>9.3f} {interval(result.by_order):<46}{sizes}"
        )
    return "\n".join(lines)


def off_node(results: Sequence[Relaunched]) -> str:
    """Make a line for each program: its bytes between nodes in both orders."""
    head = "".join(f"{what + ' MB':>21}" for what in ("predicted", "counted", "on the wire"))
    lines = [f"{'program':<10} {head}  fall, to the predicted one"]
    for result in results:
        both = [(runs.predicted, runs.counted, runs.wire) for runs in (result.before, result.after)]
        cells = "".join(
            f"{before / 1e6:>10.2f} > {after / 1e6:>8.2f}" for before, after in zip(*both, strict=True)
        )
        lines.append(f"{result.name:<10} {cells}  {result.fall_beside_prediction:+.2%}")
    return "\n".join(lines)


def trees(all_trees: Sequence[Tree]) -> str:
    """Make a line for each operation and size."""
    lines = [f"{'operation':<12} {'bytes':>9} {'before ms':>10} {'after ms':>9} {'before / after':>24}"]
    for tree in all_trees:
        before, after = (1e3 * statistics.median(times) for times in (tree.before, tree.after))
        lines.append(
            f"{tree.operation:<12} {tree.bytes:>9} {before:>10.2f} {after:>9.2f} {interval(tree.ratio)}"
        )
    return "\n".join(lines)


def gains(all_gains: Sequence[Gain]) -> str:
    """Make lines for each size, without and with a decision, and a column for each number of iterations."""
    numbers = list(dict.fromkeys(gain.iterations for gain in all_gains))
    head = "".join(f"{f'n = {number}':>10}" for number in numbers)
    lines = [f"{'bytes':>9} {'reordering ms':>14} {'':<13}{head}"]
    for size in dict.fromkeys(gain.bytes for gain in all_gains):
        of_it = [gain for gain in all_gains if gain.bytes == size]
        always = "".join(f"{f'{gain.gain:+.0f} %':>10}" for gain in of_it)
        chosen = "".join(f"{f'{gain.gain_if_profitable:+.0f} %':>10}" for gain in of_it)
        reordered = "".join(f"{f'{gain.reordered:.0%}':>10}" for gain in of_it)
        lines += [
            f"{size:>9} {1e3 * of_it[0].cost:>14.2f} {'always':<13}{always}",
            f"{'':>9} {'':>14} {'if profitable':<13}{chosen}",
            f"{'':>9} {'':>14} {'  reordered':<13}{reordered}",
        ]
    return "\n".join(lines)


def ways(results: Sequence[TwoWays]) -> str:
    """Make a line for each program: times and bytes between nodes, without and with reordering."""
    lines = [f"{'program':<12} {'without s':>9} {'with s':>9} {'without / with':>24} {'':<20} off node MB"]
    for result in results:
        before, after = (statistics.median(result.seconds[side]) for side in SIDES)
        sizes = " > ".join(f"{result.off_node[side] / 1e6:.2f}" for side in SIDES)
        lines.append(f"{result.name:<12} {before:>9.3f} {after:>9.3f} {interval(result.ratio):<46}{sizes}")
    return "\n".join(lines)
