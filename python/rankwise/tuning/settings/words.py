"""The origin of settings in words, for the head of files that people read."""

from __future__ import annotations

import shlex
from pathlib import Path

from rankwise.text.names import library_said
from rankwise.text.units import (
    confidence_text,
    digits_text,
    exact_byte_range_text,
    exact_byte_text,
    second_text,
)
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Rule


def comment(settings: Settings) -> list[str]:
    """Return lines that begin with `#`: the origin of the settings, and the reason for each rule."""
    about = settings.about
    lines = [
        f"Settings found by Rankwise {about.rankwise} on {about.created}, for",
        f"  {shlex.join(about.command)}",
        f"measured with {library_said(about.library)}",
        f"on {', '.join(about.hosts)}",
    ]
    if about.gain:
        ratio, low, high, confidence, pairs = about.gain
        lines.append(
            f"the program is {digits_text(ratio)} times as fast with them ({confidence_text(confidence)} % "
            f"confidence: {digits_text(low)} to {digits_text(high)}, {pairs} pairs of runs)"
        )
    else:
        lines.append("the gain of the program was not measured")
    return [f"# {one_line(line)}" for line in [*lines, *map(in_words, settings.rules)]]


def how_to_order(settings: Settings, path: Path) -> list[str]:
    """Return lines of a shell comment on the order of MPI_COMM_WORLD; none if the settings have none.

    Args:
        settings: with or without an order.
        path: of their file.
    """
    if settings.order is None:
        return []
    words = ["rankwise", "run", "--with", str(path), "--", *settings.about.command]
    return [
        "# The order of MPI_COMM_WORLD is not a variable: Rankwise changes it in MPI_Init.",
        f"#   {one_line(shlex.join(words))}",
    ]


def what_for(rule: Rule) -> str:
    """Return the calls that a rule is for."""
    return f"{rule.procedure} on {rule.processes} processes, {sizes(rule)}"


def in_words(rule: Rule) -> str:
    """Return the calls that a rule is for, and its evidence."""
    said = f"{what_for(rule)}: {rule.algorithm.label}"
    if (why := rule.evidence) is None:
        return f"{said}; not measured"
    sizes_of_races = sorted({raced.size for raced in rule.raced})
    if len(sizes_of_races) > 1 and rule.high is not None:
        said += f"; measured at {', '.join(map(exact_byte_text, sizes_of_races))}, predicted between"
    if not why.rounds:
        return (
            f"{said}; predicted, not measured: {digits_text(why.ratio)} times as fast "
            f"({confidence_text(why.confidence)} % confidence: {digits_text(why.low)} to "
            f"{digits_text(why.high)})"
        )
    return (
        f"{said}; {second_text(1e-6 * why.default_us)} before, {second_text(1e-6 * why.chosen_us)} with it, "
        f"{digits_text(why.ratio)} times as fast ({confidence_text(why.confidence)} % confidence: "
        f"{digits_text(why.low)} to {digits_text(why.high)}, {why.rounds} rounds)"
    )


def sizes(rule: Rule) -> str:
    """Return the messages that a rule is for."""
    return "all sizes" if rule.high is None else exact_byte_range_text(rule.low, rule.high)


def one_line(line: str) -> str:
    """Return a text without characters that would end its line or hide its contents."""
    return "".join(character if character.isprintable() else "?" for character in line)
