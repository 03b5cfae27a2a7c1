"""Rules in the order of a library's own files; contradicting rules are refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from rankwise.errors import RankwiseError
from rankwise.text.units import exact_byte_text
from rankwise.tuning.settings.rule import Rule
from rankwise.tuning.settings.words import sizes

Grouped = dict[str, dict[int, list[Rule]]]
"""Rules by procedure and number of processes, both ascending, then by ascending messages."""

_NAME = re.compile(r"[\w.+-]{1,100}", re.ASCII)
_MOST_PROCESSES = (1 << 31) - 2  # the next number must fit into an int


def grouped(
    rules: Iterable[Rule], procedures: Collection[str], whole: Collection[str], library: str
) -> Grouped:
    """Put rules in order.

    Args:
        rules: in any order.
        procedures: for which the library can have rules.
        whole: procedures that can have rules only for all sizes: the library reads a size that may differ
            between processes, or none at all. Processes would then choose different algorithms, or a rule
            would apply where it should not.
        library: its name, for people.

    Raises:
        RankwiseError: a rule is impossible for the library, or two rules are for the same messages.
    """
    by_procedure: Grouped = {}
    for rule in sorted(rules, key=lambda rule: (rule.procedure, rule.processes, rule.low)):
        _check(rule, procedures, whole, library)
        before = by_procedure.setdefault(rule.procedure, {}).setdefault(rule.processes, [])
        if before and (before[-1].high is None or rule.high is None or rule.low <= before[-1].high):
            raise RankwiseError(
                f"two rules for {rule.procedure} on {rule.processes} processes overlap: remove one of them"
            )
        before.append(rule)
    return by_procedure


def _check(rule: Rule, procedures: Collection[str], whole: Collection[str], library: str) -> None:
    if rule.procedure not in procedures:
        known = ", ".join(sorted(procedures))
        raise RankwiseError(f"{library} has no rules for {rule.procedure}; it has them for {known}")
    name = f"the rule for {rule.procedure} on {rule.processes} processes"
    if not 1 <= rule.processes <= _MOST_PROCESSES:
        raise RankwiseError(f"{name}: no communicator has so many")
    if not _NAME.fullmatch(rule.algorithm.name) or rule.algorithm.number < 0 or rule.algorithm.segment < 0:
        raise RankwiseError(f"{name}: {rule.algorithm.name!r} can't be an algorithm")
    if rule.high is None and rule.low:
        raise RankwiseError(
            f"{name} has no upper size (high: null), so it applies to all sizes: let it start at 0, not at "
            f"{exact_byte_text(rule.low)}"
        )
    if rule.low < 0 or (rule.high is not None and rule.high < rule.low):
        raise RankwiseError(f"{name}: there are no messages of {sizes(rule)}")
    if rule.high is not None and rule.procedure in whole:
        raise RankwiseError(
            f"{name} is for some sizes only, which {library} can't distinguish consistently on all "
            "processes: let it apply to all sizes (high: null, low: 0)"
        )
