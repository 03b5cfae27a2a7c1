"""How soon each screen of a profile is there."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assembly.taken import Taken
from rankwise.views.by import VIEWS

_MOST_S = {10_000: 0.5, 100_000: 2.0}
_MOST_PLOT_S = {10_000: 1.5, 100_000: 3.0}  # loading matplotlib takes most of it
_MOST_REPORT_S = {10_000: 10.0}
_MOST_REPORT_MB = {10_000: 300.0}
_PLOTS = ("matrix", "communicators", "sizes", "balance", "timeline")
_TIMES = 3  # each screen is made, and the fastest counts


@dataclass(frozen=True)
class Screen:
    """A screen, or a file.

    Attributes:
        name: of it.
        words: of the command line, behind `rankwise`; PROFILE and FILE stand for the paths.
        most_seconds: aim; None = no aim.
        most_mb: aim; None = no aim.
    """

    name: str
    words: tuple[str, ...]
    most_seconds: float | None = None
    most_mb: float | None = None


def screens(ranks: int) -> Iterator[Screen]:
    """Give all screens, with the aims for so many ranks."""
    most = _MOST_S.get(ranks)
    yield Screen("summary", ("show", "PROFILE"), most)
    yield Screen("summary -v", ("show", "PROFILE", "-v"), most)
    yield Screen("summary --json", ("show", "PROFILE", "--json"), most)
    yield Screen("explain", ("explain", "PROFILE"), most)
    yield Screen("explain --json", ("explain", "PROFILE", "--json"), most)
    for view in VIEWS:
        yield Screen(f"--by {view}", ("show", "PROFILE", "--by", view), most)
    for ends in ("rank", "node"):
        yield Screen(f"--matrix --by {ends}", ("show", "PROFILE", "--matrix", "--by", ends), most)
    yield Screen("diff", ("diff", "PROFILE", "PROFILE"), most)
    for what in _PLOTS if importlib.util.find_spec("matplotlib") else ():
        words = ("plot", "PROFILE", "--what", what, "-o", "FILE.svg", "--force")
        yield Screen(f"plot {what}", words, _MOST_PLOT_S.get(ranks))
    report = ("report", "PROFILE", "-o", "FILE.html", "--force")
    yield Screen("report", report, _MOST_REPORT_S.get(ranks), _MOST_REPORT_MB.get(ranks))
    yield Screen("export --format csv", ("export", "PROFILE", "--format", "csv", "-o", "FILES", "--force"))


def show_all(profile: Path, ranks: int, finished: Callable[[list[str]], Taken]) -> list[str]:
    """Make all screens of a profile, print the cost of each, and return those that miss their aim.

    One process makes each of them without threads, so that its processor time is the time that it takes on a
    machine that does nothing else: that is what the aims are for.

    Args:
        profile: path.
        ranks: in it.
        finished: runs a command to its end.
    """
    missed = []
    print(f"\n{'screen':22}{'CPU':>9}{'wall':>9}{'memory':>10}")
    for screen in screens(ranks):
        words = [_word(word, profile) for word in screen.words]
        command = [sys.executable, "-m", "rankwise", *words]
        taken = min((finished(command) for _ in range(_TIMES)), key=lambda run: run.cpu_seconds)
        mb = taken.peak_bytes / 2**20
        over = [
            f"{value:.2f} {unit}, aim <= {most:g}"
            for value, most, unit in (
                (taken.cpu_seconds, screen.most_seconds, "s"),
                (mb, screen.most_mb, "MB"),
            )
            if most is not None and value > most
        ]
        print(
            f"{screen.name:22}{taken.cpu_seconds:7.2f} s{taken.seconds:7.2f} s{mb:7.0f} MB"
            + "".join(f"   {limit}" for limit in over),
            flush=True,
        )
        missed += [f"{screen.name} ({limit})" for limit in over]
    return missed


def _word(word: str, profile: Path) -> str:
    if word == "PROFILE":
        return str(profile)
    return str(profile.parent / word) if word.startswith("FILE") else word
