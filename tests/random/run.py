"""Runs random programs and compares their profiles with what they must hold.

python tests/random/run.py 4711 --mpi openmpi-debian           one seed; shrunk and printed if it fails
python tests/random/run.py --seeds 1000:2000 --mpi all         a long hunt
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

_TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(_TESTS / "random"), str(_TESTS / "mpi"), str(_TESTS)]

import libraries  # noqa: E402
from hunt import Hunt  # noqa: E402


def main() -> int:
    """1 if a seed failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("seed", type=int, nargs="*")
    parser.add_argument(
        "--seeds", metavar="FIRST:END", help="all seeds from FIRST up to END, END not included"
    )
    parser.add_argument("--mpi", default="all", help="name of an MPI library of the tests, or all")
    options = parser.parse_args()
    first, _, end = (options.seeds or "0:0").partition(":")
    seeds = [*options.seed, *range(int(first), int(end))]
    chosen = [mpi for mpi in libraries.ALL if options.mpi in ("all", mpi.name)]
    if not chosen or not seeds:
        parser.error(f"nothing to do: give seeds, and one of {', '.join(mpi.name for mpi in libraries.ALL)}")
    failed = 0
    for mpi in chosen:
        with tempfile.TemporaryDirectory(prefix="rankwise-random-") as place:
            tally = Hunt(mpi, Path(place)).search(seeds)
        print(f"{mpi.name}: {tally}", *tally.reports, sep="\n", flush=True)
        failed += len(tally.reports)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
