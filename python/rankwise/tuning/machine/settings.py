"""The rules of a machine as a file of settings, as far as the library can take them together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rankwise.tuning.machine.results import Results
from rankwise.tuning.machine.rules import Made, Table
from rankwise.tuning.settings.apply import untranslatable
from rankwise.tuning.settings.model import About, Settings


@dataclass
class Writable:
    """The rules that a library can take together.

    Attributes:
        settings: with the rules; None: no rules.
        rules: in the settings.
        beside: why the library can't also take other rules, with their number.
    """

    settings: Settings | None = None
    rules: list[Made] = field(default_factory=list)
    beside: dict[str, int] = field(default_factory=dict)


def writable(
    table: Table, results: Results, environment: Mapping[str, str], library_path: Path | None
) -> Writable:
    """Return settings with the rules; where rules exclude each other, those with the largest gain.

    Args:
        table: the rules.
        results: the measurements behind them.
        environment: variables that were in force during the measurements, and that the rules need.
        library_path: see settings.apply.translate.
    """
    about = About.of_now(results.library, results.abi, results.hosts, results.command)

    def settings(rules: list[Made]) -> Settings:
        return Settings(about, tuple(made_rule.rule for made_rule in rules), environment)

    made = Writable(rules=list(table.rules))
    if made.rules and untranslatable(settings(made.rules), library_path):
        # Each rule alone first: an algorithm may not work for its number of processes.
        made.rules, made.beside = _translatable(
            table.rules, lambda rule, _: untranslatable(settings([rule]), library_path)
        )
    if made.rules and untranslatable(settings(made.rules), library_path):
        order = sorted(made.rules, key=_gain, reverse=True)
        kept, whys = _translatable(
            order, lambda rule, others: untranslatable(settings([*others, rule]), library_path)
        )
        made.rules, made.beside = [rule for rule in made.rules if rule in kept], made.beside | whys
    if made.rules:
        made.settings = settings(made.rules)
    return made


def _translatable(
    rules: Sequence[Made], why_not: Callable[[Made, list[Made]], str]
) -> tuple[list[Made], dict[str, int]]:
    """Return the rules that go together with the rules before them, and why how many others don't."""
    kept: list[Made] = []
    whys: dict[str, int] = {}
    for rule in rules:
        if why := why_not(rule, kept):
            whys[why] = whys.get(why, 0) + 1
        else:
            kept.append(rule)
    return kept, whys


def _gain(made: Made) -> tuple[bool, float]:
    return made.kind == "measured", made.rule.evidence.low if made.rule.evidence else 0.0
