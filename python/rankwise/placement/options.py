"""Values of options; apart from the rest, which needs time to load."""

from __future__ import annotations

from rankwise.launchers import placings

OBJECTIVES = ("hops", "time", "bottleneck")
"""What a placement is to make small."""

LAUNCHERS = tuple(placings())
"""That files can be written for, as in placement.files."""

NODES = ("job", "all")
"""Slots that ranks may go to: those of the job, or any of the machine."""

EFFORTS = (0, 1, 2, 3)
"""Quick with one attempt, usual, thorough, and with several seeds, too."""
