"""How verbs print an answer: as JSON, or as tables."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwise.reading.answers import Answer


def print_answer(answer: Answer, *, json: bool, verbose: int, limit: int) -> None:
    """Print an answer on stdout.

    Args:
        answer: of the verb.
        json: everything, as JSON; the other arguments do not matter then.
        verbose: 1: more columns and rows; 2: of the summary, everything.
        limit: rows of a table, 0 for all.
    """
    if json:
        sys.stdout.writelines(answer.json_text())
        sys.stdout.write("\n")
    else:
        answer.show(sys.stdout, verbose=verbose, limit=limit)
