"""Figures for Prometheus: the planted ones, few, well formed; and the dashboard that shows them."""

from __future__ import annotations

import errno
import json
import os
import re
from datetime import datetime
from pathlib import Path

import pytest

pytest.importorskip("duckdb")

from centre_made import (
    GROUPS,
    STRANGE_PROGRAM,
    STRANGE_USER,
    Expected,
    Group,
    Planted,
    empty_store,
    planted_month,
)

from rankwise.__main__ import main
from rankwise._files import installed
from rankwise.centre.engines import opened
from rankwise.centre.metrics import MOST_PARTITIONS, MOST_PROGRAMS, NO_PARTITION, OTHER, Metric, metrics
from rankwise.centre.store import Store
from rankwise.centre.waste import KINDS
from rankwise.render.export.prometheus import prometheus_text

NOW = datetime(2026, 10, 31, 12)
LINE = re.compile(r'([a-z_]+)(?:\{([a-z]+)="((?:[^"\\\n]|\\[\\"n])*)"\})? (\S+)')


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("centre") / "store"
    planted_month(path)
    return path


def of(store: Path, days: int = 31) -> dict[str, Metric]:
    with opened("duckdb", Store(store)) as engine:
        return {metric.name: metric for metric in metrics(engine, NOW, days)}


def read(text: str) -> dict[str, dict[str, float]]:
    """The figures of a file, by name and value of the label; each line is checked."""
    found: dict[str, dict[str, float]] = {}
    helped: list[str] = []
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped.append(line.split()[2])
        elif line.startswith("# TYPE "):
            assert line == f"# TYPE {helped[-1]} gauge"
        else:
            match = LINE.fullmatch(line)
            assert match, line
            name, _, value, number = match.groups()
            assert name == helped[-1]
            assert value not in found.setdefault(name, {})
            found[name][value or ""] = float(number)
    assert len(set(helped)) == len(helped)
    assert set(helped) == set(found)
    return found


def test_figures_are_the_planted_ones(store: Path) -> None:
    found, expected = of(store), Expected()
    assert found["rankwise_runs"].values == {"": expected.runs}
    assert found["rankwise_node_hours"].values[""] == pytest.approx(expected.node_hours)
    assert found["rankwise_waste_node_hours"].values[""] == pytest.approx(expected.waste_node_hours)
    kinds = found["rankwise_waste_kind_node_hours"].values
    assert set(kinds) == {*KINDS, OTHER}
    assert {kind: hours for kind, hours in kinds.items() if hours} == pytest.approx(expected.by_kind)
    assert found["rankwise_slow_hosts"].values == {"": 1}
    assert 0 < found["rankwise_recorded_ratio"].values[""] < 1


def test_the_parts_add_up(store: Path) -> None:
    found = of(store)
    for part in ("partition", "program"):
        for what in ("node_hours", "waste_node_hours"):
            total = found[f"rankwise_{what}"].values[""]
            assert sum(found[f"rankwise_{part}_{what}"].values.values()) == pytest.approx(total)
    strange = sum(group.node_hours for group in GROUPS if not group.in_accounting)
    assert found["rankwise_partition_node_hours"].values[NO_PARTITION] == pytest.approx(strange)


def test_only_the_last_days_count(store: Path) -> None:
    assert of(store, 1)["rankwise_runs"].values == {"": 0}
    few, all_runs = (of(store, days)["rankwise_runs"].values[""] for days in (20, 31))
    assert 0 < few < all_runs


def test_the_number_of_series_is_bounded(tmp_path: Path) -> None:
    many = [Group(f"program{at}", "alice", 1, 1, 1.0 + at, (Planted("late-ranks", 0.5),)) for at in range(60)]
    planted_month(tmp_path / "store", groups=many)
    found = of(tmp_path / "store")
    programs = found["rankwise_program_waste_node_hours"].values
    assert len(programs) == MOST_PROGRAMS + 1
    assert programs[OTHER] == pytest.approx(
        sum(0.5 * group.node_hours for group in many[: 60 - MOST_PROGRAMS])
    )
    most = 2 * (MOST_PROGRAMS + 1) + 2 * (MOST_PARTITIONS + 1) + len(KINDS) + 1 + len(found)
    assert sum(len(metric.values) for metric in found.values()) <= most <= 200


def test_a_file_is_well_formed_and_has_nothing_about_users(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rankwise.prom"
    command = ["centre", "metrics", str(store), "-o", str(path), "--days", "3660"]
    assert main(command) == 0
    assert main(command) == 0  # it is replaced
    assert capsys.readouterr().out == ""
    text = path.read_text(encoding="utf-8")
    assert STRANGE_PROGRAM in read(text)["rankwise_program_node_hours"]
    assert not [user for user in (STRANGE_USER, "alice", "carol") if user in text]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_labels_are_escaped() -> None:
    strange = 'a"} 1\nx{b="\\n\x1b\u202e'
    text = prometheus_text([Metric(name="m", meaning="it", label="of", values={strange: 1.0})])
    assert text == '# HELP m it\n# TYPE m gauge\nm{of="a\\"} 1\\\\nx{b=\\"\\\\n\\\\x1b\\\\u202e"} 1.0\n'
    read(text)


def test_what_is_unknown_has_no_line(tmp_path: Path) -> None:
    planted_month(tmp_path / "store", accounting=False)
    names = read(prometheus_text(of(tmp_path / "store").values()))
    assert "rankwise_recorded_ratio" not in names
    found = read(prometheus_text(of(empty_store(tmp_path / "empty")).values()))
    assert found["rankwise_runs"] == {"": 0.0}
    assert "rankwise_newest_run_timestamp_seconds" not in found


def test_the_dashboard_uses_only_figures_and_labels_that_there_are(store: Path) -> None:
    dashboard = json.loads(installed("share/grafana/rankwise-centre.json").read_text(encoding="utf-8"))
    found = of(store)
    used: set[str] = set()
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            names = set(re.findall(r"rankwise_\w+", target["expr"]))
            assert names, panel["title"]
            assert names <= set(found), panel["title"]
            assert all(found[name].values for name in names), panel["title"]
            labels = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert all({found[name].label} == labels for name in names if labels), panel["title"]
            used |= names
    assert used == set(found) - {"rankwise_window_days"}
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(ids)) == len(ids)


def test_the_dashboard_can_be_had(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["centre", "metrics", str(store), "-o", str(tmp_path / "a.prom")]
    dashboard = tmp_path / "a.json"
    assert main([*command, "--dashboard", str(dashboard)]) == 0
    assert json.loads(dashboard.read_text())["uid"] == "rankwise-centre"
    assert main([*command, "--dashboard", str(dashboard)]) == 2
    assert "already exists" in capsys.readouterr().err


def test_a_full_disk_leaves_the_old_file(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.prom"
    path.write_text("old")

    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    assert main(["centre", "metrics", str(store), "-o", str(path)]) == 1
    assert os.strerror(errno.ENOSPC) in capsys.readouterr().err
    assert path.read_text() == "old"
    assert main(["centre", "metrics", str(store), "-o", str(tmp_path / "a.txt")]) == 2
