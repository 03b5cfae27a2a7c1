"""The results of tuning, on the terminal: races, their gains, and the gain of the program."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from rich.text import Text

from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.names import algorithm_name, call_name
from rankwise.text.units import (
    byte_range_text,
    change_range_text,
    change_text,
    confidence_text,
    number_of,
    percent_range_text,
    percent_text,
    ratio_text,
    second_text,
)
from rankwise.trials.interval import Interval
from rankwise.trials.sequential import MISS
from rankwise.tuning.gate import changes_digits
from rankwise.tuning.proof import Proof
from rankwise.tuning.settings.rule import Evidence
from rankwise.tuning.target import Target
from rankwise.tuning.tune import Tried, Tuned

_LONG_NAME = re.compile(r"MPIR_\w+")


def print_tuned(
    tuned: Tuned,
    everything: Sequence[Target],
    run_seconds: float,
    written: Sequence[Path],
    file: TextIO,
    *,
    failed: bool = False,
) -> None:
    """Write the results.

    Args:
        tuned: the results.
        everything: all targets, including those not worth a race.
        run_seconds: of all ranks in the profile.
        written: files, the one for `rankwise run --with` first; empty: no files.
        file: to write to.
        failed: whether they could not be written, which is reported elsewhere.
    """
    page = Page(file)
    library = f"{tuned.library.label} {tuned.library.number}".strip()
    tunable = sum(target.tunable_seconds for target in everything)
    page.write(
        *page.wrapped(
            f"{library}: {percent_text(100 * tunable / run_seconds if run_seconds else 0)} % of the run "
            "time is in blocking collectives, excluding waiting for late ranks",
            "bold",
            indent=2,
        )
    )
    if not tuned.tried:
        page.write(*page.wrapped("No collective takes enough time for tuning to pay off.", indent=2))
    else:
        page.write(Text(), *table_lines(page, _columns(run_seconds), tuned.tried, fold=True), Text())
    _notes(page, tuned)
    if tuned.proof is not None:
        page.write(*page.wrapped(proof_text(tuned.proof), "bold", indent=2))
    if not failed:
        undecided = tuned.settings is None and not tuned.is_finished
        print_written(tuned.settings is not None, written, file, undecided=undecided)


def print_written(gains: bool, written: Sequence[Path], file: TextIO, *, undecided: bool = False) -> None:
    """Write the result for the settings.

    Args:
        gains: whether they are proven to gain.
        undecided: whether there was too little time to decide.
        written: files, the one for `rankwise run --with` first; empty: no files.
        file: to write to.
    """
    page = Page(file)
    if undecided:
        text = "Nothing is written yet: the same command continues from there."
        page.write(*page.wrapped(text, "bold", indent=2))
    elif not gains:
        page.write(*page.wrapped("No gain: nothing is written.", "bold", indent=2))
    elif written:
        page.write(*page.wrapped(f"Written: {', '.join(str(path) for path in written)}", indent=2))
        page.write(page.text(f"    rankwise run --with {written[0]} -- COMMAND"))
    else:
        page.write(*page.wrapped("Nothing is written without -o FILE.", indent=2))


def _columns(run_seconds: float) -> list[TextColumn[Tried]]:
    def share(tried: Tried) -> str:
        return percent_text(100 * tried.target.tunable_seconds / run_seconds if run_seconds else 0)

    return [
        TextColumn("call", lambda tried: call_name(tried.target.procedure)),
        TextColumn("ranks", lambda tried: str(tried.target.processes), right=True),
        TextColumn("size", lambda tried: _size(tried.target), right=True),
        TextColumn("% of run", share, right=True),
        TextColumn("default", lambda tried: _of_call(tried, chosen=False), right=True),
        TextColumn("fastest", lambda tried: _of_call(tried, chosen=True), right=True),
        TextColumn("speed-up", _ratio, right=True),
        label("outcome", lambda tried: _LONG_NAME.sub(lambda name: algorithm_name(name[0]), tried.verdict)),
    ]


def _size(target: Target) -> str:
    if target.whole:
        return "all"
    return byte_range_text(target.first.low, target.first.high)


def _evidence(tried: Tried) -> Evidence | None:
    """Return the evidence of the algorithm in the table: the winner, or a runner-up that replaces it."""
    if tried.rule and (tried.failed or tried.beside):
        return tried.rule.evidence
    return tried.held_out.evidence if tried.held_out else None


def _of_call(tried: Tried, *, chosen: bool) -> str:
    if (evidence := _evidence(tried)) is None:
        return "-"
    return second_text(1e-6 * (evidence.chosen_us if chosen else evidence.default_us))


def _ratio(tried: Tried) -> str:
    if (evidence := _evidence(tried)) is None:
        return "-"
    return f"{ratio_text(evidence.low)}-{ratio_text(evidence.high)}"


def _effect(tried: Tried) -> str:
    effect = tried.effect
    if effect is None or tried.rule is None:
        return ""
    what = f"{call_name(tried.target.procedure)} with {algorithm_name(tried.rule.algorithm.label)}"
    if effect.verdict == "not visible":
        visibility = (
            "its messages do not change with the rule"
            if effect.messages == "same"
            else "its messages can't be seen"
        )
        return f"{what}: {visibility}; the pairs of runs decide."
    before, after = (", ".join(map(algorithm_name, names)) for names in (effect.before, effect.after))
    if effect.verdict == "same calls":
        return f"{what}: the library calls {after} equally often without the rule; the pairs of runs decide."
    names = f": {before or 'unknown'} became {after or 'unknown'}" if before or after else ""
    if effect.messages == "other":
        return f"{what}: its messages confirm that it took effect{names}."
    return f"{what}: the library calls another algorithm, which sends the same messages{names}."


def _beside(tried: Tried) -> str:
    other = f" {_taken(tried)}" if tried.rule else ""
    return f"{call_name(tried.target.procedure)}: {tried.beside}.{other}"


def _failed(tried: Tried) -> str:
    """Return which algorithms make the program fail, and the result for the call."""
    outs = "; ".join(f"{algorithm_name(label)} is excluded, {why}" for label, why in tried.failed.items())
    if tried.rule:
        instead = _taken(tried)
    elif changes_digits(tried.target):
        instead = (
            "No other algorithm is left; --bitwise excludes those that could change sums in their "
            "last digits."
        )
    else:
        instead = "No other algorithm was shown to be faster and correct."
    return f"{call_name(tried.target.procedure)}: {outs}. {instead}"


def _taken(tried: Tried) -> str:
    assert tried.rule
    return f"The runner-up {algorithm_name(tried.rule.algorithm.label)} takes its place."


def _notes(page: Page, tuned: Tuned) -> None:
    notes = [_effect(tried) for tried in tuned.tried]
    refused: dict[tuple[str, str], list[str]] = {}
    for tried in tuned.tried:
        for name, why in tried.refused.items():
            refused.setdefault((call_name(tried.target.procedure), why), []).append(name)
    for (call, why), names in refused.items():
        notes.append(f"{call} by {', '.join(map(algorithm_name, names))} was not raced: {why}.")
    notes += [_beside(tried) for tried in tuned.tried if tried.beside]
    notes += [_failed(tried) for tried in tuned.tried if tried.failed]
    if tuned.left:
        cells = ", ".join(f"{call_name(target.procedure)} ({_size(target)})" for target in tuned.left)
        notes.append(f"Not tried for lack of time: {cells}.")
    if tuned.others:
        notes.append(f"Collectives without a rule that also changed: {', '.join(tuned.others)}.")
    if tuned.digits:
        notes.append("Sums may change in their last digits; --bitwise prevents that.")
    if tuned.ended:
        notes.append(tuned.ended)
    for note in filter(None, dict.fromkeys(notes)):
        page.write(*page.wrapped(note, indent=2))


def proof_text(proof: Proof) -> str:
    """Return the result of paired runs as a sentence."""
    if proof.rejected:
        return f"The settings are rejected: {proof.rejected}."
    if proof.interval is None:
        return f"Nothing is proven. {proof.ended or 'No pair of runs was completed.'}"
    excluded = "" if proof.excluded is None else f"{percent_text(100 * (1 - 1 / (1 + proof.excluded)))} %"
    said = _said(proof.interval, undecided=proof.is_undecided)
    if excluded:
        said += f" The risk of missing a gain of {excluded} or more is at most {confidence_text(MISS)} %."
    return f"{said}{' ' + proof.ended if proof.ended else ''}"


def _said(interval: Interval, *, undecided: bool) -> str:
    less, least, most = (100 * (1 - 1 / value) for value in (interval.ratio, interval.low, interval.high))
    confidence = f"{confidence_text(interval.confidence)} % confidence"
    of = f"{number_of(interval.pairs, 'pair')} of runs, {confidence}"
    if interval.verdict == "faster":
        between = f"{percent_range_text(least, most)} %"
        return f"Proven: the program takes {percent_text(less)} % less time ({between}; {of})."
    if undecided:
        so_far = f"{change_text(-less)} % ({change_range_text(-most, -least)} %; {of})"
        return f"Not decided: the time changes by {so_far} so far."
    if not interval.reached and interval.low > 1:
        few = f"{interval.pairs} pairs of runs give at most {confidence}"
        return f"Not proven: the program took {percent_text(less)} % less time, but {few}."
    if interval.verdict == "slower":
        between = f"{percent_range_text(-most, -least)} %"
        return f"The program takes {percent_text(-less)} % more time ({between}; {of})."
    between = f"{change_range_text(-most, -least)} %"
    return f"No gain is shown: the time changes by {change_text(-less)} % ({between}; {of})."
