"""Show your own jobs that wasted most.

  rankwise centre mine STORE
  rankwise centre mine STORE --since 2026-11 --limit 30
  rankwise centre mine STORE --pseudonyms KEYFILE

You are the owner of this process. --pseudonyms is needed where the store was filled with it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rankwise.commands.centre.asking import add_question, ask


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_question(parser, user=False)
    parser.add_argument(
        "--pseudonyms", type=Path, metavar="KEYFILE", help="key of the pseudonyms of users in the store"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 0, or RankwiseError if the store can't be read."""
    from rankwise.centre.hiding import Hiding, key_in
    from rankwise.runs.headline import owner_name

    user = owner_name(os.geteuid())
    if arguments.pseudonyms:
        user = Hiding(key=key_in(arguments.pseudonyms)).pseudonym(user)
    arguments.user = user
    return ask(arguments, "jobs")
