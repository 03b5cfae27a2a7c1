"""Verbs and sub-verbs: `rankwise machine show` is in the module `show` of the package `machine`.

A package lists its sub-verbs in SUB_VERBS. It may have arguments and a `run`, for the verb alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType

from rankwise.errors import RankwiseError


def named(words: Sequence[str]) -> tuple[str, ModuleType]:
    """Return the verb that a command line begins with, or its sub-verb, and the module.

    Raises:
        RankwiseError: the verb needs one of its sub-verbs, and has none.
    """
    verb = words[0]
    module = module_of(verb)
    names = of(module)
    if words[1:2] and words[1] in names:
        return f"{verb} {words[1]}", module_of(f"{verb} {words[1]}")
    if not hasattr(module, "run") and words[1:2] not in (["-h"], ["--help"]):
        wrong = (
            f"{words[1]!r} is not a sub-verb of `rankwise {verb}`"
            if words[1:]
            else f"`rankwise {verb}` needs a sub-verb"
        )
        raise RankwiseError(f"{wrong}: there are {', '.join(names[:-1])} and {names[-1]}")
    return verb, module


def module_of(name: str) -> ModuleType:
    """Return the module of a verb or a sub-verb."""
    return importlib.import_module(f"rankwise.commands.{name.replace('-', '_').replace(' ', '.')}")


def of(module: ModuleType) -> tuple[str, ...]:
    """Return the names of the sub-verbs of a verb."""
    names: tuple[str, ...] = getattr(module, "SUB_VERBS", ())
    return names


def listed(module: ModuleType) -> str | None:
    """Return the end of a verb's help: its sub-verbs, a line each; None if it has none."""
    names = of(module)
    if not names:
        return None
    from shutil import get_terminal_size  # not above: most calls print no help
    from textwrap import wrap

    verb = module.__name__.rpartition(".")[2]
    indent = max(map(len, names)) + 4
    lines = ["sub-verbs:"]
    for name in names:
        doc = (module_of(f"{verb} {name}").__doc__ or "").splitlines()[0]
        width = get_terminal_size().columns - 2  # as argparse does
        lines += wrap(f"  {name:{indent - 2}}{doc}", width, subsequent_indent=" " * indent)
    return "\n".join([*lines, "", f"For the options of each: `rankwise {verb} SUB-VERB --help`."])
