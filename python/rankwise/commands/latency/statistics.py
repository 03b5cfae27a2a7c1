"""The option that chooses which statistic of a measurement is shown."""

from __future__ import annotations

import argparse

STATISTICS = ("min", "median", "p95", "mean", "std", "bandwidth")


def add_statistic(parser: argparse.ArgumentParser, when: str, default: str) -> None:
    """Declare --statistic.

    Args:
        parser: of the verb.
        when: it has a meaning, with a colon; '' = always.
        default: in words.
    """
    parser.add_argument(
        "--statistic",
        choices=STATISTICS,
        help=f"{when}of half a round trip, or the bandwidth (default: {default})",
    )
