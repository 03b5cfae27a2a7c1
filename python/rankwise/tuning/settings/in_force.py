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


def contradicting(
    library: str,
    environment: Mapping[str, str],
    words: Sequence[str],
    ours: Mapping[str, str] | None = None,
    *,
    rules: bool = True,
    for_speed: bool = False,
) -> list[Assignment]:
    """Return what is in force and contradicts settings of ours.

    Args:
        library: its label, as in mpi_libraries.Version.
        environment: that the command would be started with.
        words: of the command.
        ours: variables that are to be set; the same value is no contradiction.
        rules: whether algorithms of collectives are to be chosen.
        for_speed: whether all else counts, too, that users set for speed alone.
    """
    ours = ours or {}
    known = by_label(library)
    found = list(dict.fromkeys(_assignments(known, environment, words)))
    strong = {one.name for one in found if not one.is_weak}
    return [
        one
        for one in found
        if not (one.is_weak and one.name in strong)
        and (_contradicts(one, known, ours, rules=rules) or (for_speed and _is_for_speed(one, known)))
    ]


def in_force(
    library: str,
    environment: Mapping[str, str],
    words: Sequence[str],
    ours: Mapping[str, str] | None = None,
    *,
    rules: bool = True,
) -> list[str]:
    """Return the same for people, a line each: what, and where it is made."""
    found = contradicting(library, environment, words, ours, rules=rules)
    return list(dict.fromkeys(one.text for one in found))


def _contradicts(one: Assignment, library: TunableLibrary, ours: Mapping[str, str], *, rules: bool) -> bool:
    """Whether the user's assignment would take effect in the place of ours, or beside them."""
    chosen = bool(rules and library.choosing and library.choosing.fullmatch(one.name))
    if chosen and library.is_harmless(one.name, one.value):
        return False
    return ours[one.name] != one.value if one.name in ours else chosen


def _is_for_speed(one: Assignment, library: TunableLibrary) -> bool:
    if library.choosing and library.choosing.fullmatch(one.name):
        return False  # it contradicts, or is harmless
    return bool(one.value and library.for_speed and library.for_speed.fullmatch(one.name))


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
