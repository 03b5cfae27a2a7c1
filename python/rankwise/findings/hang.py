"""The sentence on a run that stood still when it ended."""

from __future__ import annotations

from rankwise.analysis.hangs.model import Hang
from rankwise.analysis.percent import percent
from rankwise.text.hang import hang_text

LEAST_PERCENT = 10.0
"""Of the run, in which ranks waited at its end: with less, it says little, unless it is a deadlock."""


def hang_sentence(found: Hang | None, run_seconds: float) -> str:
    """Return it without its full stop, '' where the run did not stand still.

    Args:
        found: why it stood still.
        run_seconds: of all ranks between MPI_Init and MPI_Finalize.
    """
    if found is None:
        return ""
    if not found.is_deadlock and percent(found.lost_seconds, run_seconds) < LEAST_PERCENT:
        return ""
    text = hang_text(found)
    return text[:1].upper() + text[1:]
