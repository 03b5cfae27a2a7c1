"""What a job raises that says nothing: see tries.py."""

from __future__ import annotations


class HeldUp(Exception):  # noqa: N818
    """A job said nothing, for a reason that is not ours."""
