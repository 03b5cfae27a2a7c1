"""The result of rechecking a settings file, on the terminal."""

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
    outcome: Outcome, path: Path, written: Sequence[Path], *, asked: bool, file: TextIO
) -> None:
    """Write the result.

    Args:
        outcome: of the recheck.
        path: of the settings file.
        written: files, the one for `rankwise run --with` first; empty: no files.
        asked: whether the user wants files.
        file: to write to.
    """
    page = Page(file)
    for line in _where(outcome):
        page.write(*page.wrapped(line, "bold", indent=2))
    page.write(Text(), *table_lines(page, _COLUMNS, outcome.rules, fold=True), Text())
    for note in dict.fromkeys(_notes(outcome)):
        page.write(*page.wrapped(note, indent=2))
    page.write(*page.wrapped(_verdict(outcome, path, asked=asked), "bold", indent=2))
    if written:
        page.write(
            *page.wrapped(f"Written: {', '.join(str(written_path) for written_path in written)}", indent=2)
        )
        page.write(page.text(f"    rankwise run --with {written[0]} -- COMMAND"))


def _where(outcome: Outcome) -> list[str]:
    before = outcome.library_before
    was = f"{before.label} {before.number}".strip()
    if outcome.library is None:
        return [f"{was}: the program was not started"]
    now = f"{outcome.library.label} {outcome.library.number}".strip()
    version = f"{now}, as when the rules were found" if outcome.same_library else f"{now}; before: {was}"
    hosts = "same nodes" if outcome.same_hosts else f"other nodes: {_listed(outcome.hosts)}"
    if not outcome.same_hosts:
        hosts += f"; before: {_listed(outcome.before.about.hosts)}"
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


def _then(rechecked: Rechecked) -> str:
    return ratio_text(rechecked.rule.evidence.ratio) if rechecked.rule.evidence else "-"


def _now(rechecked: Rechecked) -> Evidence | None:
    return rechecked.held_out.evidence if rechecked.held_out else None


def _of_call(rechecked: Rechecked, *, chosen: bool) -> str:
    evidence = _now(rechecked)
    if evidence is None:
        return "-"
    return second_text(1e-6 * (evidence.chosen_us if chosen else evidence.default_us))


_COLUMNS: list[TextColumn[Rechecked]] = [
    TextColumn("call", lambda rechecked: call_name(rechecked.rule.procedure)),
    TextColumn("ranks", lambda rechecked: str(rechecked.rule.processes), right=True),
    TextColumn("size", lambda rechecked: _size(rechecked.rule), right=True),
    label("rule", lambda rechecked: algorithm_name(rechecked.rule.algorithm.label)),
    TextColumn("x then", _then, right=True),
    TextColumn("default", lambda rechecked: _of_call(rechecked, chosen=False), right=True),
    TextColumn("rule's", lambda rechecked: _of_call(rechecked, chosen=True), right=True),
    TextColumn("x now (interval)", lambda rechecked: _ratio(_now(rechecked)), right=True),
    label("outcome", lambda rechecked: rechecked.verdict),
]


def _notes(outcome: Outcome) -> list[str]:
    notes = []
    for rechecked in outcome.rules:
        what = (
            f"{call_name(rechecked.rule.procedure)} on {rechecked.rule.processes} processes by "
            f"{algorithm_name(rechecked.rule.algorithm.label)}"
        )
        if rechecked.why:
            notes.append(f"{what}: {rechecked.why}.")
        if rechecked.verdict == "unknown" and rechecked.held_out and not rechecked.why:
            control = rechecked.held_out.control
            notes.append(
                f"{what}: the library's own choice differs from itself, {ratio_text(control.ratio)} x "
                f"({ratio_text(control.low)}-{ratio_text(control.high)}): try again on a quiet machine."
            )
        if rechecked.held_out and rechecked.rule.raced and not rechecked.as_found:
            notes.append(
                f"{what}: the launch has fewer ranks than when the rule was found, so the rule was measured "
                "on several blocks of ranks at the same time."
            )
    if any(rechecked.held_out and not rechecked.rule.raced for rechecked in outcome.rules):
        notes.append(
            "Rules without a record of how they were found were measured on several blocks of ranks at the "
            "same time."
        )
    kept = [
        word
        for word, is_there in (
            ("variables", outcome.before.environment),
            ("places of ranks", outcome.before.bindings),
            ("new ranks", outcome.before.order),
        )
        if is_there
    ]
    if kept:
        notes.append(f"The {' and '.join(kept)} in the file were not rechecked and were not in force.")
    return notes


def _verdict(outcome: Outcome, path: Path, *, asked: bool) -> str:
    wins, rules = outcome.counted("still wins"), len(outcome.rules)
    if outcome.ended:
        return f"{wins} of {rules} rules still win. {outcome.ended}"
    verdict = f"{wins} of {rules} rule{'s' * (rules != 1)} still win{'s' * (rules == 1)}."
    unsure = outcome.counted("unknown")
    if outcome.settings is None:
        return f"{verdict} No rule remains, so nothing is written: run the program without {path}."
    if not outcome.settings.rules:
        verdict += " The other contents of the file remain."
    elif unsure:
        verdict += f" {unsure} unknown and stay{'s' * (unsure == 1)}, as not measured."
    if not asked:
        return f"{verdict} Nothing is written without -o FILE."
    return f"{verdict} The program was not run, so its gain was not measured."
