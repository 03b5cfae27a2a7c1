"""Write a letter to one user about node hours that the user's jobs can save.

  rankwise centre letter STORE --user alice
  rankwise centre letter STORE --user alice --month 2026-10

It says how much was lost, why, and which line in the job script helps, from findings of high confidence,
and only about what users can change. If nothing is worth a letter, stdout is empty, and a line on stderr says
so. The first line is the subject.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import datetime, timezone

from rankwise.commands.centre.asking import add_store
from rankwise.commands.messages import say
from rankwise.errors import RankwiseError

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_store(parser)
    parser.add_argument("--user", metavar="NAME", required=True, help="who gets the letter")
    parser.add_argument(
        "--month", type=_month, metavar="MONTH", help="2026-10 (default: the month before this one)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the letter; 0, also if there is nothing to write.

    Raises:
        RankwiseError: the user has no name, or the store can't be read.
    """
    from rankwise.centre.asked import Asked
    from rankwise.centre.compaction import month_before
    from rankwise.centre.engines import opened
    from rankwise.centre.letter import topics
    from rankwise.centre.store import Store
    from rankwise.views.centre.letter import letter, month_text

    if not arguments.user:
        raise RankwiseError("--user needs a name")
    month = arguments.month or month_before(datetime.now(timezone.utc), 1)
    with opened(arguments.engine, Store(arguments.store)) as engine:
        found = topics(engine, Asked(user=arguments.user, since=month, until=month))
    if found:
        sys.stdout.write(letter(arguments.user, month, found))
    else:
        say(f"nothing is worth a letter to {arguments.user} about {month_text(month)}")
    return 0


def _month(text: str) -> str:
    if not _MONTH.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a month such as 2026-10")
    return text
