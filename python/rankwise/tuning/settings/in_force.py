"""The user's settings in force that would contradict Rankwise's, wherever they are made."""

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
    """Return the user's settings in force that contradict Rankwise's.

    Args:
        library: its label, as in mpi_libraries.Version.
        environment: of the command.
        words: of the command.
        ours: variables that are to be set; the same value is no contradiction.
        rules: whether algorithms of collectives are to be chosen.
        for_speed: whether to include the settings that serve only speed.
    """
    ours = ours or {}
    known = by_label(library)
    assignments = list(dict.fromkeys(_assignments(known, environment, words)))
    strong = {assignment.name for assignment in assignments if not assignment.is_weak}
    return [
        assignment
        for assignment in assignments
        if not (assignment.is_weak and assignment.name in strong)
        and (
            _contradicts(assignment, known, ours, rules=rules)
            or (for_speed and _is_for_speed(assignment, known))
        )
    ]


def in_force(
    library: str,
    environment: Mapping[str, str],
    words: Sequence[str],
    ours: Mapping[str, str] | None = None,
    *,
    rules: bool = True,
) -> list[str]:
    """Return the same for people, a line each: the setting and its place."""
    assignments = contradicting(library, environment, words, ours, rules=rules)
    return list(dict.fromkeys(assignment.text for assignment in assignments))


def _contradicts(
    assignment: Assignment, library: TunableLibrary, ours: Mapping[str, str], *, rules: bool
) -> bool:
    """Return whether the user's assignment would replace or join Rankwise's settings."""
    chosen = bool(rules and library.choosing and library.choosing.fullmatch(assignment.name))
    if chosen and library.is_harmless(assignment.name, assignment.value):
        return False
    return ours[assignment.name] != assignment.value if assignment.name in ours else chosen


def _is_for_speed(assignment: Assignment, library: TunableLibrary) -> bool:
    if library.choosing and library.choosing.fullmatch(assignment.name):
        return False  # it contradicts, or is harmless
    return bool(assignment.value and library.for_speed and library.for_speed.fullmatch(assignment.name))


def _assignments(
    library: TunableLibrary, environment: Mapping[str, str], words: Sequence[str]
) -> Iterator[Assignment]:
    command = parse(words)
    inside = behind(command.wrappers, environment)
    for name, value in inside.items():
        yield from _unfolded(Assignment(name, value, f"{name}={value}", ENVIRONMENT))
    for context in command.contexts:
        for option in context.options:
            for assignment in (
                *variables_of(option),
                *(assignment for each in libraries() for assignment in each.by_option(option)),
            ):
                yield from _unfolded(assignment)
        for name, value in behind(context.wrappers, {}).items():
            yield from _unfolded(Assignment(name, value, f"{name}={value}", COMMAND_LINE))
    yield from library.elsewhere(command, inside)


def _unfolded(assignment: Assignment) -> Iterator[Assignment]:
    """Yield an assignment; if it sets a list of others, those."""
    lists = (each.in_list(assignment.name, assignment.value, assignment.where) for each in libraries())
    yield from next((inner for inner in lists if inner is not None), [assignment])
