"""The cost or gain of the user's settings, on the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TextIO

from rankwise.render.terminal.page import Page
from rankwise.text.units import (
    change_range_text,
    change_text,
    confidence_text,
    number_of,
    percent_range_text,
    percent_text,
)
from rankwise.trials.interval import Interval
from rankwise.tuning.own_settings import Priced

RECORD_AGAIN = (
    "Nothing else was tried, because these settings would influence the measurements. To tune further, "
    "record the program without them and tune with that profile; `rankwise optimize` continues without "
    "them by itself."
)
WITHOUT = "Everything below was measured without these settings."
KEPT = "Nothing else was tried, because these settings would influence the measurements."


def print_priced(priced: Priced, file: TextIO, *further: str) -> None:
    """Write their cost or gain, what to do, and further lines."""
    page = Page(file)
    page.write(*page.wrapped(sentence(priced), "bold", indent=2))
    for line in (*_notes(priced), *further):
        page.write(*page.wrapped(line, indent=2))


def sentence(priced: Priced) -> str:
    """Return the result of paired runs."""
    names = f"Without your {_listed([f'{setting.shown} ({setting.where})' for setting in priced.theirs])}"
    proof = priced.proof
    if proof.rejected:
        return f"{names}, {proof.rejected}. Your settings stay in force."
    if proof.interval is None:
        return f"{names}: nothing is proven. {proof.ended or 'No pair of runs was completed.'}"
    return " ".join(filter(None, [f"{names} {_change(proof.interval)}", proof.ended]))


def _change(interval: Interval) -> str:
    less, least, most = (100 * (1 - 1 / value) for value in (interval.ratio, interval.low, interval.high))
    faster, slower = percent_range_text(least, most), percent_range_text(-most, -least)
    of = f"{number_of(interval.pairs, 'pair')} of runs, {confidence_text(interval.confidence)} % confidence"
    if interval.verdict == "faster":
        return f"the program takes {percent_text(less)} % less time ({faster} %; {of})."
    if interval.verdict == "slower":
        return f"the program takes {percent_text(-less)} % more time ({slower} %; {of})."
    between = f"{change_range_text(-most, -least)} %"
    if not interval.reached:
        return f"nothing is proven: the time changed by {change_text(-less)} % ({between}; {of})."
    return f"no difference is shown: the time changes by {change_text(-less)} % ({between}; {of})."


def _notes(priced: Priced) -> list[str]:
    if not priced.can_go:
        return []
    notes = [f"To remove {_it(priced)}: {'; '.join(priced.cures)}."]
    notes.append(f"Measured without: {shlex.join(priced.words)}")
    if priced.digits:
        notes.append("Sums may change in their last digits; --bitwise excludes such settings.")
    return notes


def _it(priced: Priced) -> str:
    return "it" if len(priced.theirs) == 1 else "them"


def _listed(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    return " and ".join(filter(None, [", ".join(unique[:-1]), unique[-1]]))
