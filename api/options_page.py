"""Writes docs/reference/options.md: all options of all verbs, from the parsers that read them."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator

INTRODUCTION = """\
# All options of all verbs

One name has one meaning, whichever verb it is given to, and one meaning has one name. This page is
generated from the parsers that read the command line (`make generate`), and `make lint` fails when it is
stale. What an option does in detail is on [the page of the command line](command-line.md), verb by verb.

Sub-verbs stand right behind their verbs, as in `rankwise map verify`; each has its own options:

"""

HEAD = """
A size is a number of bytes: `64`, `4k`, `1M`. A time is a number of seconds, or has a unit: `90s`, `20min`,
`1.5h`. A percentage is `5` or `5%`. A list of nodes is written as Slurm does: `a,b`, `node[01-16]`.

| option | takes | verbs | meaning |
|---|---|---|---|
"""


def options_md() -> str:
    """Return the page."""
    from rankwise.__main__ import parsers  # not above: some of its modules are generated

    by_name = parsers()
    return INTRODUCTION + "".join(_sub_verbs(by_name)) + HEAD + "".join(_rows(by_name))


def _sub_verbs(names: Iterable[str]) -> Iterator[str]:
    """Return a line for each verb that has sub-verbs."""
    below: dict[str, list[str]] = defaultdict(list)
    for name in names:
        verb, _, sub_verb = name.partition(" ")
        if sub_verb:
            below[verb].append(f"`{sub_verb}`")
    for verb, sub_verbs in below.items():
        yield f"- `rankwise {verb}`: {', '.join(sub_verbs)}\n"


def _rows(by_name: dict[str, argparse.ArgumentParser]) -> Iterator[str]:
    """Return a row for each option and what it says of itself; verbs that say the same share one."""
    rows: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for name, parser in by_name.items():
        for action in parser._actions:
            if action.option_strings and action.dest != "help":
                rows[_option(action), _takes(action), _meaning(action, parser)].append(f"`{name}`")
    for (option, takes, meaning), verbs in sorted(rows.items(), key=lambda row: _key(row[0][0])):
        yield f"| {option} | {takes} | {', '.join(verbs)} | {meaning} |\n"


def _key(option: str) -> str:
    return option.rpartition("--")[2]


def _option(action: argparse.Action) -> str:
    return ", ".join(f"`{name}`" for name in action.option_strings)


def _takes(action: argparse.Action) -> str:
    """Return what follows the option."""
    if action.nargs == 0:
        return ""
    several = " ..." if action.nargs == "+" else ""
    if action.choices and not action.metavar:
        return _cell(", ".join(f"`{choice}`" for choice in action.choices))
    return _cell(f"{action.metavar or action.dest.upper()}{several}")


def _meaning(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    """Return its help, with its default."""
    text = (action.help or "") % {**vars(action), "prog": parser.prog}
    return _cell(text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
