"""What tuning found, on the terminal: what was raced, what it gains, and what the program shows of it."""

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
    number_of,
    percent_range_text,
    percent_text,
    ratio_text,
    second_text,
)
from rankwise.trials.interval import Interval
from rankwise.tuning.proof import Proof
from rankwise.tuning.target import Target
from rankwise.tuning.tune import Tried, Tuned

_LONG_NAME = re.compile(r"MPIR_\w+")


def print_tuned(
    found: Tuned,
    everything: Sequence[Target],
    run_seconds: float,
    written: Sequence[Path],
    file: TextIO,
    *,
    failed: bool = False,
) -> None:
    """Write all of it.

    Args:
        found: what came out.
        everything: all targets, also those that are not worth a race.
        run_seconds: of all ranks in the profile.
        written: files, the one for `rankwise run --with` first; empty: none were.
        file: to write to.
        failed: whether they could not be written, which is told elsewhere.
    """
    page = Page(file)
    library = f"{found.library.label} {found.library.number}".strip()
    tunable = sum(one.tunable_seconds for one in everything)
    page.write(
        *page.wrapped(
            f"{library}: {percent_text(100 * tunable / run_seconds if run_seconds else 0)} % of the run time "
            "is in blocking collectives, without waiting for late ranks",
            "bold",
            indent=2,
        )
    )
    if not found.tried:
        page.write(*page.wrapped("No collective takes enough time to be worth tuning.", indent=2))
    else:
        page.write(Text(), *table_lines(page, _columns(run_seconds), found.tried, fold=True), Text())
    _notes(page, found)
    if found.proof is not None:
        page.write(*page.wrapped(proof_text(found.proof), "bold", indent=2))
    if not failed:
        print_written(found.settings is not None, written, file)


def print_written(gains: bool, written: Sequence[Path], file: TextIO) -> None:
    """Write what has become of settings.

    Args:
        gains: whether they are proven to gain.
        written: files, the one for `rankwise run --with` first; empty: none were.
        file: to write to.
    """
    page = Page(file)
    if not gains:
        page.write(*page.wrapped("No gain: nothing is written.", "bold", indent=2))
    elif written:
        page.write(*page.wrapped(f"Written: {', '.join(str(path) for path in written)}", indent=2))
        page.write(page.text(f"    rankwise run --with {written[0]} -- COMMAND"))
    else:
        page.write(*page.wrapped("Nothing is written without --apply FILE.", indent=2))


def _columns(run_seconds: float) -> list[TextColumn[Tried]]:
    def share(tried: Tried) -> str:
        return percent_text(100 * tried.target.tunable_seconds / run_seconds if run_seconds else 0)

    return [
        TextColumn("call", lambda tried: call_name(tried.target.procedure)),
        TextColumn("n", lambda tried: str(tried.target.processes), right=True),
        TextColumn("size", lambda tried: _size(tried.target), right=True),
        TextColumn("% of run", share, right=True),
        TextColumn("default", lambda tried: _of_call(tried, chosen=False), right=True),
        TextColumn("best", lambda tried: _of_call(tried, chosen=True), right=True),
        TextColumn("x as fast", _ratio, right=True),
        label("outcome", lambda tried: _LONG_NAME.sub(lambda name: algorithm_name(name[0]), tried.verdict)),
    ]


def _size(target: Target) -> str:
    if target.whole:
        return "all"
    return byte_range_text(target.first.low, target.first.high)


def _of_call(tried: Tried, *, chosen: bool) -> str:
    if tried.held_out is None:
        return "-"
    evidence = tried.held_out.evidence
    return second_text(1e-6 * (evidence.chosen_us if chosen else evidence.default_us))


def _ratio(tried: Tried) -> str:
    if tried.held_out is None:
        return "-"
    evidence = tried.held_out.evidence
    return f"{ratio_text(evidence.low)}-{ratio_text(evidence.high)}"


def _effect(tried: Tried) -> str:
    effect = tried.effect
    if effect is None or tried.rule is None:
        return ""
    what = f"{call_name(tried.target.procedure)} by {algorithm_name(tried.rule.algorithm.label)}"
    if effect.verdict == "not visible":
        return f"{what}: whether it took effect can't be seen here."
    if effect.verdict == "no effect":
        return f"{what}: the library took no notice of the rule, or does so anyway. It was dropped."
    names = f": {', '.join(effect.before) or 'unknown'} became {', '.join(effect.after) or 'unknown'}"
    return f"{what}: its messages show that it took effect{names if effect.before or effect.after else ''}."


def _notes(page: Page, found: Tuned) -> None:
    notes = [_effect(tried) for tried in found.tried]
    refused: dict[tuple[str, str], list[str]] = {}
    for tried in found.tried:
        for name, why in tried.refused.items():
            refused.setdefault((call_name(tried.target.procedure), why), []).append(name)
    for (call, why), names in refused.items():
        notes.append(f"{call} by {', '.join(map(algorithm_name, names))} was not raced: {why}.")
    notes += [
        f"{call_name(tried.target.procedure)}: {tried.beside}." for tried in found.tried if tried.beside
    ]
    if found.left:
        cells = ", ".join(f"{call_name(one.procedure)} ({_size(one)})" for one in found.left)
        notes.append(f"No time was left for: {cells}.")
    if found.others:
        notes.append(f"These changed, too, though no rule is about them: {', '.join(found.others)}.")
    if found.digits:
        notes.append("Sums may change in their last digits; --bitwise leaves them alone.")
    if found.ended:
        notes.append(found.ended)
    for note in filter(None, dict.fromkeys(notes)):
        page.write(*page.wrapped(note, indent=2))


def proof_text(proof: Proof) -> str:
    """Return in a sentence what the pairs of runs showed."""
    if proof.rejected:
        return f"The settings are out: {proof.rejected}."
    if proof.interval is None:
        return f"Nothing is proven: {proof.ended or 'there is no whole pair of runs.'}"
    return f"{_said(proof.interval)}{' ' + proof.ended if proof.ended else ''}"


def _said(one: Interval) -> str:
    less, least, most = (100 * (1 - 1 / value) for value in (one.ratio, one.low, one.high))
    confidence = f"{percent_text(100 * one.confidence)} % confidence"
    of = f"{number_of(one.pairs, 'pair')} of runs, {confidence}"
    if one.verdict == "faster":
        between = f"{percent_range_text(least, most)} %"
        return f"Proven: the program takes {percent_text(less)} % less time ({between}; {of})."
    if not one.reached and one.low > 1:
        few = f"{one.pairs} pairs of runs give no more than {confidence}"
        return f"Not proven: the program took {percent_text(less)} % less time, but {few}."
    if one.verdict == "slower":
        between = f"{percent_range_text(-most, -least)} %"
        return f"The program takes {percent_text(-less)} % more time ({between}; {of})."
    return f"No gain is shown: the time changes by {-less:+.1f} % ({-most:+.1f} to {-least:+.1f} %; {of})."
