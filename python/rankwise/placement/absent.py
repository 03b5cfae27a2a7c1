"""Why a run's placement is not one on a machine."""

from __future__ import annotations

from rankwise.errors import RankwiseError


class NoPresentError(RankwiseError):
    """The ranks of the run have no place on the machine."""

    def __init__(self, reason: str, cure: str) -> None:
        """Take both as parts of a sentence."""
        super().__init__(f"{reason}: {cure}")
        self.reason = reason
