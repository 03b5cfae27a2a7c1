"""What the placement engine finds and takes on graphs of typical programs; Scotch and TreeMatch beside it."""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from common.options import numbers, positive
from placement.both import print_both
from placement.graphs import KINDS, graph
from placement.machine import bound
from placement.mappers import Mapped, build_scotch, build_treematch, engine, scotch
from placement.networks import print_networks
from placement.table import HEAD, TREEMATCH_HEAD, Row, line, treematch_line
from rankwise.placement.options import EFFORTS

_LARGE = ("halo 3-D 7", 65_536)
_DENSE = {"FFT pencils": 16_384}  # more entries than it is worth beyond
_MEDIAN_AIM = 0.93
_BOUND_AIM = 1.08
_FULL = 1024  # from here on the machine has hardly more slots than ranks
_WAYS = ("padded", "constraints")
_TREEMATCH_UP_TO = 4096  # ranks: it takes a matrix of all pairs
_TREEMATCH_AIM = 0.5
_LARGE_AIMS = "aims <= 1.5 CPU s, <= 100 MB; with two threads <= 1 s"
_SHUFFLE = 7


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "--ranks",
        type=numbers,
        default=[64, 256, 1024, 4096],
        metavar="N,...",
        help="(default: 64,256,1024,4096)",
    )
    parser.add_argument("--all", action="store_true", help="16384 and 65536 ranks, too")
    parser.add_argument("--effort", type=int, default=1, choices=EFFORTS, help="(default: %(default)s)")
    parser.add_argument(
        "--threads", type=positive, default=1, help="of the engine and of Scotch (default: %(default)s)"
    )
    parser.add_argument(
        "--limit", type=float, default=60, metavar="S", help="for one graph (default: %(default)s)"
    )
    parser.add_argument(
        "--times",
        type=positive,
        default=1,
        metavar="N",
        help="run the engine and Scotch in turn, and print the least time of each (default: %(default)s)",
    )
    return parser.parse_args(arguments)


def _least(runs: list[Mapped | None]) -> Mapped | None:
    """Return the run with the least processor time; other work on the machine makes single ones longer."""
    return min(filter(None, runs), key=lambda run: run.cpu, default=None)


def _chosen(options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    for ranks in options.ranks + ([16_384, 65_536] if options.all else []):
        for kind in KINDS:
            if ranks <= _DENSE.get(kind, ranks):
                yield kind, ranks
    if not options.all and _LARGE[1] not in options.ranks:
        yield _LARGE


def _summary(rows: list[Row]) -> None:
    compared = [row for row in rows if row.scotch is not None]
    for name, some in (
        ("all graphs", compared),
        (f"{_FULL} ranks and more", [row for row in compared if row.ranks >= _FULL]),
    ):
        ratios = [row.ratio for row in some if row.ratio is not None]
        if not ratios:
            continue
        median, highest = statistics.median(ratios), max(ratios)
        print(f"{name}: {len(ratios)}; ratio of the costs:")
        print(f"  median {median:.3f}   aim <= {_MEDIAN_AIM}{_mark(median > _MEDIAN_AIM)}")
        print(f"  highest {highest:.3f}  aim <= 1{_mark(highest > 1)}")
        print(f"  more CPU time than Scotch in {sum(row.is_slower for row in some)}")
    cubes = [row for row in rows if row.kind == _LARGE[0] and row.ranks >= _FULL]
    highest = max((row.engine.cost / row.bound for row in cubes if row.bound), default=0.0)
    if highest > 0:
        mark = _mark(highest > _BOUND_AIM)
        print(f"{_LARGE[0]}, cost / bound: highest {highest:.3f}, aim <= {_BOUND_AIM}{mark}")


def _mark(missed: bool) -> str:
    return "  over" if missed else ""


def _beside_treematch(rows: list[Row], directory: Path, limit: float) -> None:
    treematch = build_treematch(directory)
    if treematch is None:
        print("There is no Open MPI 4 with TreeMatch (Debian: libopenmpi3)\n")
        return
    print(TREEMATCH_HEAD)
    ratios = []
    for row in rows:
        if not row.kind.startswith("halo") or row.ranks > _TREEMATCH_UP_TO:
            continue
        given = graph(row.kind, row.ranks, _SHUFFLE)
        results = [treematch.place(given, way, directory, limit) for way in _WAYS]
        print(treematch_line(row, results, f"no end after {limit:g} s"), flush=True)
        ratios += [row.engine.cost / result.cost for result in results if result is not None]
    if ratios:
        median, highest = statistics.median(ratios), max(ratios)
        print(f"halos, cost / TreeMatch's: median {median:.3f}, highest {highest:.3f}, ", end="")
        print(f"aim <= {_TREEMATCH_AIM}{_mark(highest > _TREEMATCH_AIM)}")
    print()


def _threaded(options: argparse.Namespace, directory: Path) -> Mapped | None:
    return engine(graph(*_LARGE, _SHUFFLE), options.effort, 2, directory, options.limit)


def main(arguments: list[str]) -> None:
    """Place each graph with both, print a table."""
    options = _parse(arguments)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        directory = Path(name)
        program = build_scotch(directory)
        if program is None:
            print("Scotch is not installed (Debian: libscotch-dev): the engine alone\n")
        print(HEAD)
        rows = []
        for kind, ranks in _chosen(options):
            given = graph(kind, ranks, _SHUFFLE)
            pairs = [
                (
                    engine(given, options.effort, options.threads, directory, options.limit),
                    scotch(given, program, options.threads, directory, options.limit) if program else None,
                )
                for _ in range(options.times)
            ]
            ours, theirs = (_least(list(runs)) for runs in zip(*pairs, strict=True))
            if ours is None:
                print(f"{kind:<19} {ranks:>6}  no end after {options.limit:g} s (--limit)", flush=True)
                continue
            rows.append(Row(kind, ranks, ours, theirs, bound(kind, given)))
            print(
                line(rows[-1], f"no end after {options.limit:g} s (--limit)" if program else ""), flush=True
            )
        print()
        _beside_treematch(rows, directory, options.limit)
        _summary(rows)
        threaded = _threaded(options, directory)
        if threaded is not None:
            print(f"{_LARGE[0]}, {_LARGE[1]} ranks, two threads: {threaded.wall:.2f} s; {_LARGE_AIMS}")
        print_networks(options.effort, options.threads, _SHUFFLE, program, directory)
        print_both(options.effort, options.threads, _SHUFFLE)
