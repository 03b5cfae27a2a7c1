"""Settings of the user's own that are in force and would contradict ours, wherever they are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rankwise.launch.commandline import parse
from rankwise.launch.wrappers import behind
from rankwise.tuning.libraries import by_label, libraries
from rankwise.tuning.libraries.base import (
    COMMAND_LINE,
    ENVIRONMENT,
    Assignment,
    TunableLibrary,
    variables_of,
)


def in_force(
    library: str,
    environment: Mapping[str, str],
    words: Sequence[str],
    ours: Mapping[str, str] | None = None,
    *,
    rules: bool = True,
) -> list[str]:
    """Return what is in force and contradicts settings of ours, a line each: what, and where it is made.

    Args:
        library: its label, as in mpi_libraries.Version.
        environment: that the command would be started with.
        words: of the command.
        ours: variables that are to be set; the same value is no contradiction.
        rules: whether algorithms of collectives are to be chosen.
    """
    ours = ours or {}
    known = by_label(library)
    return list(
        dict.fromkeys(
            f"{one.shown} in {one.where}"
            for one in _assignments(known, environment, words)
            if _contradicts(one, known, ours, rules=rules)
        )
    )


def _contradicts(one: Assignment, library: TunableLibrary, ours: Mapping[str, str], *, rules: bool) -> bool:
    """Whether the user's assignment would take effect in the place of ours, or beside them."""
    chosen = bool(rules and library.choosing and library.choosing.fullmatch(one.name))
    if chosen and library.is_harmless(one.name, one.value):
        return False
    return ours[one.name] != one.value if one.name in ours else chosen


def _assignments(
    library: TunableLibrary, environment: Mapping[str, str], words: Sequence[str]
) -> Iterator[Assignment]:
    command = parse(words)
    inside = behind(command.wrappers, environment)
    for name, value in inside.items():
        yield from _unfolded(Assignment(name, value, f"{name}={value}", ENVIRONMENT))
    for context in command.contexts:
        for option in context.options:
            for one in (
                *variables_of(option),
                *(one for each in libraries() for one in each.by_option(option)),
            ):
                yield from _unfolded(one)
        for name, value in behind(context.wrappers, {}).items():
            yield from _unfolded(Assignment(name, value, f"{name}={value}", COMMAND_LINE))
    yield from library.elsewhere(command, inside)


def _unfolded(one: Assignment) -> Iterator[Assignment]:
    """Return an assignment, or those in the list that it is."""
    lists = (each.in_list(one.name, one.value, one.where) for each in libraries())
    yield from next((found for found in lists if found is not None), [one])
