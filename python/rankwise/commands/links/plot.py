"""`rankwise links --plot`: the loads of links as a drawing."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise import extras
from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing, refuse_existing

if TYPE_CHECKING:
    from rankwise.network.answer import Answer

_KINDS = ("svg", "pdf", "png")


def check(arguments: argparse.Namespace) -> None:
    """Refuse, before anything is computed, what can't be drawn; RankwiseError."""
    path: Path | None = arguments.plot
    if path is None:
        return
    if _kind(path) not in _KINDS:
        endings = ", ".join(f".{kind}" for kind in _KINDS)
        raise RankwiseError(f"{path}: give it one of the endings {endings}; `rankwise report` writes a page")
    if arguments.profile is None and arguments.all_to_all is None:
        raise RankwiseError("--plot draws the loads of links: give a profile, or --all-to-all SIZE")
    if arguments.by == "phase":
        raise RankwiseError("--plot draws the whole run: remove --by phase or --plot")
    extras.check("matplotlib")
    refuse_existing(path, force=arguments.force, option="--plot")


def write(path: Path, answer: Answer, what: str) -> None:
    """Draw; RankwiseError if the file can't be written.

    Args:
        path: of the drawing.
        answer: what to draw.
        what: description of the messages.
    """
    from rankwise.render.network.picture import links_picture
    from rankwise.views.links.sentences import joined
    from rankwise.views.links.verdict import verdict_of

    content = links_picture(answer.loads, verdict_of(answer), joined(answer.loads, what), _kind(path))
    with appearing(path, option="--plot") as [unfinished]:
        unfinished.write_bytes(content)


def _kind(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")
