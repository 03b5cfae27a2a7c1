"""The help of each mode of `rankwise tune`: what it does, and the options that mean something with it."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Any

from rankwise.commands.tune import options

_USAGE = {
    "recheck": "rankwise tune recheck FILE [options] -- COMMAND ...",
    "online": "rankwise tune online [options] -- COMMAND ...",
    "guidelines": "rankwise tune --guidelines [options] -- LAUNCH ...",
    "parameters": "rankwise tune F.rankwise --parameters [LIST] [options] -- COMMAND ...",
}
_OTHERWISE = {
    ("recheck", "apply"): "write the rules that still win here, such as new.json",
    ("online", "apply"): "write the rules that have won, such as app.tuned.json",
}


class Help(argparse.Action):
    """Shows the help of the mode that stands before it on the command line, or that of all."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Print it and end; see argparse.Action."""
        del values, option_string
        mode = mode_of(namespace)
        (of_mode(mode) if mode else parser).print_help()
        parser.exit()


def mode_of(arguments: argparse.Namespace) -> str:
    """Return the mode that the words so far ask for; '' if that is algorithms of collectives."""
    if arguments.what and arguments.what[0] in ("recheck", "online"):
        return str(arguments.what[0])
    if arguments.guidelines:
        return "guidelines"
    return "parameters" if arguments.parameters is not None else ""


def of_mode(mode: str) -> argparse.ArgumentParser:
    """Return a parser whose help is that of a mode."""
    parser = _Parser(
        mode,
        usage=_USAGE[mode],
        description=importlib.import_module(f"rankwise.commands.tune.{mode}").__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if mode == "recheck":
        parser.add_argument("FILE", help="the settings, as `rankwise tune --apply` wrote them")
    if mode == "parameters":
        parser.add_argument("F.rankwise", help="the profile of the program")
    options.add_arguments(parser)
    return parser


class _Parser(argparse.ArgumentParser):
    """Keeps options out of its help that mean nothing with a mode."""

    def __init__(self, mode: str, **further: Any) -> None:
        self._mode = mode
        super().__init__(**further)

    def add_argument(self, *words: Any, **further: Any) -> argparse.Action:
        """See argparse.ArgumentParser."""
        action = super().add_argument(*words, **further)
        if not options.means_something(action.dest, self._mode):
            action.help = argparse.SUPPRESS
        action.help = _OTHERWISE.get((self._mode, action.dest), action.help)
        return action
