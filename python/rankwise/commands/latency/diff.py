"""Compare two measurements: what became slower or faster, at which level, and where.

Pairs are matched by rank if both have the same number of ranks, else by the hosts in both. Accepts
the same files as `rankwise latency show`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rankwise.commands.limits import add_json, add_limit, percentage

MATCHES = ("rank", "host")
_DEFAULT_LIMIT = 10
_DEFAULT_THRESHOLD = 5.0  # percent


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise latency diff`."""
    parser.add_argument("before", type=Path, metavar="BEFORE.json", help="a measurement")
    parser.add_argument("after", type=Path, metavar="AFTER.json", help="the one to compare with it")
    parser.add_argument(
        "--match",
        choices=MATCHES,
        help="match pairs by rank or by host (default: by rank if both have the same number)",
    )
    parser.add_argument(
        "--threshold",
        type=percentage,
        default=_DEFAULT_THRESHOLD,
        metavar="PERCENT",
        help="ignore smaller changes (default: %(default)g)",
    )
    add_json(parser)
    add_limit(parser, _DEFAULT_LIMIT, "the tables of pairs and of nodes")


def run(arguments: argparse.Namespace) -> int:
    """Compare; 0, or RankwiseError if a file can't be read or nothing can be compared."""
    from rankwise.latency.formats.detect import read
    from rankwise.render.terminal.latency.difference import difference_lines, verdict, warnings
    from rankwise.render.terminal.page import Page
    from rankwise.topology.pairs.difference import difference
    from rankwise.views.latency.as_json import json_text

    paths = arguments.before, arguments.after
    both = read(paths[0]), read(paths[1])
    changes = difference(*both, arguments.match, arguments.threshold / 100)
    if arguments.json:
        named = {"before": str(paths[0]), "after": str(paths[1]), "warnings": warnings(both, changes)}
        verdicts = {"changed": changes.changed, "verdict": verdict(changes)}
        sys.stdout.write(f"{json_text({**named, **verdicts, **vars(changes)})}\n")
        return 0
    page = Page(sys.stdout)
    page.write(*difference_lines(page, paths, both, changes, arguments.limit))
    return 0
