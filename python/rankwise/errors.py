"""The one exception that reaches the user: a line that says what is wrong and how to fix it."""

from __future__ import annotations


class RankwiseError(Exception):
    """What is wrong and what cures it, in one line.

    Args:
        message: the line, without a trailing newline.
        exit_status: of the process; 2 for bad input, 1 for a failure of Rankwise's own work.
    """

    def __init__(self, message: str, exit_status: int = 2) -> None:
        super().__init__(message)
        self.exit_status = exit_status
