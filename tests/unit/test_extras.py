"""Without an optional library, one line names it and what brings it, and nothing is half done."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import profiles
import pytest

import rankwise
from rankwise import extras
from rankwise.__main__ import main

MEASUREMENT = Path(__file__).with_name("measurements") / "openmpi-block.json"


def lacks(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)  # which Python takes for a library that is not there


def complaint(library: str, extra: str) -> str:
    return f"rankwise: this needs {library}, which is not installed: pip install 'rankwise[{extra}]'\n"


def test_export_to_parquet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = profiles.write_profile(tmp_path / "a.rankwise")
    lacks(monkeypatch, "pyarrow")
    assert main(["export", str(profile), "--format", "parquet", "-o", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == complaint("pyarrow", "parquet")
    assert not (tmp_path / "out").exists()


def test_export_to_otf2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = profiles.write_profile(tmp_path / "a.rankwise")
    lacks(monkeypatch, "otf2")
    assert main(["export", str(profile), "--format", "otf2", "-o", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == complaint("otf2", "otf2")
    assert not (tmp_path / "out").exists()


def test_a_drawing_of_a_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacks(monkeypatch, "matplotlib")
    assert main(["latency", "plot", str(MEASUREMENT), "-o", str(tmp_path / "a.svg")]) == 1
    assert capsys.readouterr().err == complaint("matplotlib", "plots")
    assert list(tmp_path.iterdir()) == []
    # A page needs none of them.
    assert main(["latency", "plot", str(MEASUREMENT), "-o", str(tmp_path / "a.html")]) == 0


def test_levels_of_a_measurement(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lacks(monkeypatch, "scipy")
    assert main(["latency", "show", str(MEASUREMENT)]) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", complaint("scipy", "latency"))


@pytest.mark.parametrize(
    ("library", "extra", "ask"),
    [
        ("pandas", "notebook", lambda profile: profile.calls().to_pandas()),
        ("scipy", "notebook", lambda profile: profile.matrix().to_scipy()),
        ("matplotlib", "notebook", lambda profile: profile.plot),
    ],
)
def test_an_answer_in_a_notebook(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    library: str,
    extra: str,
    ask: Callable[[rankwise.Profile], object],
) -> None:
    profile = rankwise.open(profiles.write_profile(tmp_path / "a.rankwise"))
    assert len(profile.calls().to_numpy()) == 6  # without any of them
    assert profile.matrix().to_numpy().shape == (4, 4)
    lacks(monkeypatch, library)
    with pytest.raises(rankwise.RankwiseError) as raised:
        ask(profile)
    assert f"rankwise: {raised.value}\n" == complaint(library, extra)


def test_a_library_that_is_not_optional_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    lacks(monkeypatch, "numpy")
    monkeypatch.delitem(sys.modules, "rankwise.latency.dense", raising=False)
    with pytest.raises(KeyError):
        extras.not_installed("numpy")


def test_every_extra_that_is_named_brings_its_library() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    named = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    for library, extra in extras._EXTRA_OF.items():
        assert f'"{library}>=' in named.partition(f"\n{extra} = [")[2].partition("]\n")[0] + "]"
