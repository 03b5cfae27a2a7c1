"""The rules of a machine as a file of settings, as far as the library can be told them together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rankwise.tuning.machine.results import Results
from rankwise.tuning.machine.rules import Made, Table
from rankwise.tuning.settings.apply import untold
from rankwise.tuning.settings.model import About, Settings


@dataclass
class Writable:
    """What a library can be told.

    Attributes:
        settings: with the rules; None: there are none.
        rules: that are in them.
        beside: why the library can't be told others beside them.
    """

    settings: Settings | None = None
    rules: list[Made] = field(default_factory=list)
    beside: dict[str, int] = field(default_factory=dict)


def writable(
    found: Table, results: Results, environment: Mapping[str, str], library_path: Path | None
) -> Writable:
    """Return settings with the rules; those that gain most come before others that can't stand beside them.

    Args:
        found: the rules.
        results: that they are from.
        environment: variables that were in force while it was measured, and that the rules need.
        library_path: see settings.apply.told.
    """
    about = About.of_now(results.library, results.abi, results.hosts, results.command)

    def settings(rules: list[Made]) -> Settings:
        return Settings(about, tuple(one.rule for one in rules), environment)

    made = Writable(rules=list(found.rules))
    if made.rules and untold(settings(made.rules), library_path):
        # Alone first, such as those for other numbers of processes than the algorithm can do.
        made.rules, made.beside = _tellable(found.rules, lambda one, _: untold(settings([one]), library_path))
    if made.rules and untold(settings(made.rules), library_path):
        order = sorted(made.rules, key=_gain, reverse=True)
        kept, whys = _tellable(order, lambda one, others: untold(settings([*others, one]), library_path))
        made.rules, made.beside = [one for one in made.rules if one in kept], made.beside | whys
    if made.rules:
        made.settings = settings(made.rules)
    return made


def _tellable(
    rules: Sequence[Made], why_not: Callable[[Made, list[Made]], str]
) -> tuple[list[Made], dict[str, int]]:
    """Return the rules that nothing speaks against beside those before them, and what does for how many."""
    kept: list[Made] = []
    whys: dict[str, int] = {}
    for one in rules:
        if why := why_not(one, kept):
            whys[why] = whys.get(why, 0) + 1
        else:
            kept.append(one)
    return kept, whys


def _gain(one: Made) -> tuple[bool, float]:
    return one.kind == "measured", one.rule.evidence.low if one.rule.evidence else 0.0
