"""Launchers known by name only: they hand on their own environment, as far as known."""

from __future__ import annotations

from rankwise.launchers.base import Launcher


class Other(Launcher):
    """TACC's ibrun, palsrun of HPE, poe of IBM."""

    name = "other"
    commands = ("ibrun", "palsrun", "poe")


LAUNCHER = Other()
