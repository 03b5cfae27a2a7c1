"""Verbs that have actions: `rankwise machine show`, one module of the verb's package each."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any


def add_actions(parser: argparse.ArgumentParser, package: str, names: Sequence[str], **options: Any) -> None:
    """Declare the actions of a verb; the docstrings of their modules are the help.

    Args:
        parser: of the verb.
        package: that the modules are in.
        names: of the actions.
        options: of `add_subparsers`.
    """
    actions = parser.add_subparsers(dest="action", metavar="ACTION", **options)
    for name in names:
        module = action(package, name)
        doc = (module.__doc__ or "").strip()
        sub = actions.add_parser(
            name,
            help=doc.split("\n")[0],
            description=doc,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.add_arguments(sub)


def action(package: str, name: str) -> ModuleType:
    """Return the module of an action."""
    return importlib.import_module(f"{package}.{name.replace('-', '_')}")
