"""What has become of the rules of a settings file, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from rich.text import Text

from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.names import algorithm_name, call_name
from rankwise.text.units import byte_range_text, ratio_text, second_text
from rankwise.tuning.recheck import Outcome, Rechecked
from rankwise.tuning.settings.rule import Evidence, Rule


def print_rechecked(
    found: Outcome, path: Path, written: Sequence[Path], *, asked: bool, file: TextIO
) -> None:
    """Write all of it.

    Args:
        found: what came out.
        path: of the settings file.
        written: files, the one for `rankwise run --with` first; empty: none were.
        asked: whether the user wants files.
        file: to write to.
    """
    page = Page(file)
    for line in _where(found):
        page.write(*page.wrapped(line, "bold", indent=2))
    page.write(Text(), *table_lines(page, _COLUMNS, found.rules, fold=True), Text())
    for note in dict.fromkeys(_notes(found)):
        page.write(*page.wrapped(note, indent=2))
    page.write(*page.wrapped(_verdict(found, path, asked=asked), "bold", indent=2))
    if written:
        page.write(*page.wrapped(f"Written: {', '.join(str(one) for one in written)}", indent=2))
        page.write(page.text(f"    rankwise run --with {written[0]} -- COMMAND"))


def _where(found: Outcome) -> list[str]:
    before = found.library_before
    was = f"{before.label} {before.number}".strip()
    if found.library is None:
        return [f"{was}: the program was not started"]
    now = f"{found.library.label} {found.library.number}".strip()
    version = f"{now}, as when the rules were found" if found.same_library else f"{now}; before: {was}"
    hosts = "same nodes" if found.same_hosts else f"other nodes: {_listed(found.hosts)}"
    if not found.same_hosts:
        hosts += f"; before: {_listed(found.before.about.hosts)}"
    return [version, hosts]


def _listed(hosts: Sequence[str]) -> str:
    more = f" and {len(hosts) - 4} more" if len(hosts) > 5 else ""
    return ", ".join(hosts[:4] if more else hosts) + more


def _size(rule: Rule) -> str:
    if rule.high is None:
        return "all"
    return byte_range_text(rule.low, rule.high)


def _ratio(evidence: Evidence | None) -> str:
    if evidence is None:
        return "-"
    return f"{ratio_text(evidence.ratio)} ({ratio_text(evidence.low)}-{ratio_text(evidence.high)})"


def _then(one: Rechecked) -> str:
    return ratio_text(one.rule.evidence.ratio) if one.rule.evidence else "-"


def _now(one: Rechecked) -> Evidence | None:
    return one.held_out.evidence if one.held_out else None


def _of_call(one: Rechecked, *, chosen: bool) -> str:
    evidence = _now(one)
    if evidence is None:
        return "-"
    return second_text(1e-6 * (evidence.chosen_us if chosen else evidence.default_us))


_COLUMNS: list[TextColumn[Rechecked]] = [
    TextColumn("call", lambda one: call_name(one.rule.procedure)),
    TextColumn("ranks", lambda one: str(one.rule.processes), right=True),
    TextColumn("size", lambda one: _size(one.rule), right=True),
    label("rule", lambda one: algorithm_name(one.rule.algorithm.label)),
    TextColumn("x then", _then, right=True),
    TextColumn("default", lambda one: _of_call(one, chosen=False), right=True),
    TextColumn("rule's", lambda one: _of_call(one, chosen=True), right=True),
    TextColumn("x now (interval)", lambda one: _ratio(_now(one)), right=True),
    label("outcome", lambda one: one.verdict),
]


def _notes(found: Outcome) -> list[str]:
    notes = []
    for one in found.rules:
        what = (
            f"{call_name(one.rule.procedure)} on {one.rule.processes} processes by "
            f"{algorithm_name(one.rule.algorithm.label)}"
        )
        if one.why:
            notes.append(f"{what}: {one.why}.")
        if one.verdict == "unknown" and one.held_out and not one.why:
            control = one.held_out.control
            notes.append(
                f"{what}: the library's own choice differs from itself, {ratio_text(control.ratio)} x "
                f"({ratio_text(control.low)}-{ratio_text(control.high)}): try again on a quiet machine."
            )
        if one.held_out and one.rule.raced and not one.as_found:
            notes.append(
                f"{what}: the launch has fewer ranks than when the rule was found, so the rule was measured "
                "on several blocks of ranks at the same time."
            )
    if any(one.held_out and not one.rule.raced for one in found.rules):
        notes.append(
            "Rules without a record of how they were found were measured on several blocks of ranks at the "
            "same time."
        )
    kept = [
        word
        for word, is_there in (
            ("variables", found.before.environment),
            ("places of ranks", found.before.bindings),
        )
        if is_there
    ]
    if kept:
        notes.append(f"The {' and '.join(kept)} in the file were not rechecked and were not in force.")
    return notes


def _verdict(found: Outcome, path: Path, *, asked: bool) -> str:
    wins, rules = found.counted("still wins"), len(found.rules)
    if found.ended:
        return f"{wins} of {rules} rules still win. {found.ended}"
    verdict = f"{wins} of {rules} rule{'s' * (rules != 1)} still win{'s' * (rules == 1)}."
    unsure = found.counted("unknown")
    if found.settings is None:
        return f"{verdict} No rule remains, so nothing is written: run the program without {path}."
    if not found.settings.rules:
        verdict += " The other contents of the file remain."
    elif unsure:
        verdict += f" {unsure} unknown and stay{'s' * (unsure == 1)}, as not measured."
    if not asked:
        return f"{verdict} Nothing is written without -o FILE."
    return f"{verdict} The program was not run, so its gain was not measured."
