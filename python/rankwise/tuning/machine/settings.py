"""The rules of a machine as a file of settings, as far as the library can be told them together."""

from __future__ import annotations

from collections.abc import Mapping
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
        made.rules = []
        for one in sorted(found.rules, key=_gain, reverse=True):
            if why := untold(settings([*made.rules, one]), library_path):
                made.beside[why] = made.beside.get(why, 0) + 1
            else:
                made.rules.append(one)
        made.rules = [one for one in found.rules if one in made.rules]
    if made.rules:
        made.settings = settings(made.rules)
    return made


def _gain(one: Made) -> tuple[bool, float]:
    return one.kind == "measured", one.rule.evidence.low if one.rule.evidence else 0.0
