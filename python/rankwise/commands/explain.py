"""Explain where a run loses time, what can be done about it, and what the terms mean.

rankwise explain F.rankwise                 # efficiency, and all findings with evidence and formulas
rankwise explain load-balance               # the meaning of a metric or a rule
rankwise explain load-balance F.rankwise    # and its value
rankwise explain                            # all terms
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands.limits import add_json, add_limit
from rankwise.commands.printing import print_answer
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.reading.answers import Answer

_LIMIT = 30
_SUFFIX = ".rankwise"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise explain`."""
    parser.add_argument(
        "words", nargs="*", metavar="METRIC | F.rankwise", help="a metric or a rule, a profile, or both"
    )
    add_json(parser)
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="also findings that could save less than 1%% of the run"
    )
    add_limit(parser, _LIMIT, "a table")


def run(arguments: argparse.Namespace) -> int:
    """Explain; 0, or RankwiseError if there is no such word, or the profile can't be read."""
    metrics = [word for word in arguments.words if not _is_profile(word)]
    profiles = [Path(word) for word in arguments.words if _is_profile(word)]
    if len(metrics) > 1 or len(profiles) > 1:
        raise RankwiseError("give at most one metric and one profile: rankwise explain [METRIC] [F.rankwise]")
    answer = _answer(metrics, profiles)
    print_answer(answer, json=arguments.json, verbose=arguments.verbose, limit=arguments.limit)
    return 0


def _answer(metrics: Sequence[str], profiles: Sequence[Path]) -> Answer:
    from rankwise.reading.explanation import Words, explain, meaning

    if metrics:
        return meaning(metrics[0], *profiles)
    return explain(profiles[0]) if profiles else Words()


def _is_profile(word: str) -> bool:
    return word.endswith(_SUFFIX) or "/" in word or Path(word).exists()
