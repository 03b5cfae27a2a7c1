"""Values of options; apart from the rest, which needs time to load."""

from __future__ import annotations

from rankwise.launchers import placings

OBJECTIVES = ("hops", "time", "bottleneck", "both")
"""What a placement is to make small."""

BY_HOPS = ("hops", "both")
"""Objectives whose costs are byte hops."""

EXTRA_PERCENT = 5.0
"""Byte hops that `both` may add for a lower load of the most loaded link."""

LAUNCHERS = tuple(placings())
"""That files can be written for, as in placement.files."""

NODES = ("job", "all")
"""Slots that ranks may go to: those of the job, or any of the machine."""

EFFORTS = (0, 1, 2, 3)
"""Quick with one attempt, usual, thorough, and with several seeds, too."""
