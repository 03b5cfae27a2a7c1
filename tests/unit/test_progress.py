"""Telling how far the assembly is: the fractions that a listener gets, and the bar that shows them."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from synthetic import small_world, write_world
from terminals import Terminal

from rankwise.profile.assemble import assemble
from rankwise.render.terminal import progress
from rankwise.render.terminal.progress import Activity, ProgressBar


def shown(
    monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO, patience: float, *, wanted: bool = True
) -> str:
    """Return what a bar prints while half of something is done."""
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "_PATIENCE_S", patience)
    with ProgressBar("making the profile", wanted=wanted) as bar:
        bar(0.5)
    return stderr.getvalue()


def test_the_listener_is_led_from_nothing_to_all(tmp_path: Path) -> None:
    write_world(tmp_path / "run", small_world(100))
    write_world(tmp_path / "run", small_world(5), prefix="other")
    fractions: list[float] = []
    assembly = assemble(tmp_path / "run", tmp_path / "a.rankwise", exit_status=0, listener=fractions.append)
    assert len(assembly.others) == 1
    assert len(fractions) == 2 + 2 + 1  # of 64 processes each: read, and the rows of either world written
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] < 0.25
    assert fractions[-1] == pytest.approx(1.0)


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, Terminal(), 0.0)
    assert "rankwise: making the profile" in text
    assert "50%" in text


def test_no_bar_for_what_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), 3600.0) == ""


def test_no_bar_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), 0.0) == ""
    assert shown(monkeypatch, Terminal(), 0.0, wanted=False) == ""


def busy(
    monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO, patience: float, *, wanted: bool = True
) -> str:
    """Return what is printed while something takes long, once it is on the screen if it ever is."""
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "_LONG_S", patience)
    with Activity("making the report", wanted=wanted) as activity:
        if patience == 0.0 and wanted and stderr.isatty():
            activity._timer.join()  # it waits for the thread, not for a time
    return stderr.getvalue()


def test_what_takes_long_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "rankwise: making the report" in busy(monkeypatch, Terminal(), 0.0)


def test_nothing_is_said_of_what_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    assert busy(monkeypatch, Terminal(), 3600.0) == ""


def test_nothing_is_said_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert busy(monkeypatch, io.StringIO(), 0.0) == ""
    assert busy(monkeypatch, Terminal(), 0.0, wanted=False) == ""
