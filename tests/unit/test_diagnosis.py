"""One diagnosis: every screen and page has the same conclusions, made now or kept in the profile."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import overview_profiles
import phased_run
import profiles
import pytest
import test_findings as findings
from live import running, set_time, write
from matplotlib.figure import Figure
from screens_of_profiles import FINDINGS, OVERSUBSCRIBED, PAGES
from synthetic import PART, small_world, write_world
from test_loading import output_of

import rankwise
from rankwise.__main__ import main
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.from_json import from_json
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.to_json import to_json
from rankwise.cpulist import cpu_text
from rankwise.diagnosis import kept
from rankwise.diagnosis.make import make_diagnosis
from rankwise.diagnosis.model import Diagnosis
from rankwise.diagnosis.sentences import late_sentence
from rankwise.render.page.container import Container
from rankwise.render.page.contents.run import run_data
from rankwise.render.page.contents.subject import subject
from rankwise.text.hang import hang_text, waited_title
from rankwise.text.processors import shortage_fields
from rankwise.views.by import VIEWS


def _made(make: Callable[[], Any], path: Path) -> object:
    return make().write(path)


CORPUS: Mapping[str, Callable[[Path], object]] = {
    **PAGES,
    **{name: partial(_made, make) for name, make in FINDINGS.items()},
    "preempted, and it cost nothing": partial(_made, partial(findings.switching, 1000, 9.9)),
    "yielding": partial(_made, partial(findings.switching, 100_000, 7.0)),
    "empty": profiles.write_empty,
    "oversubscribed-grid": OVERSUBSCRIBED,
}


def _keep(path: Path) -> None:
    """Let the profile keep its diagnosis, as if it had been recorded."""
    with closing(sqlite3.connect(path)) as profile:
        kept.keep_diagnosis(profile)
        profile.commit()


def _change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as profile:
        profile.execute(statement, values)
        profile.commit()


def _words(text: str) -> str:
    return " ".join(text.split())


class _Screens:
    """All that is said of a profile."""

    def __init__(self, path: Path) -> None:
        opened = rankwise.open(path)
        summary, explained = opened.summary(), opened.explain()
        self.summary, self.explained = _words(summary.text()), _words(explained.text(verbose=True))
        self.verbose = _words(summary.text(verbose=True))
        self.json: dict[str, Any] = json.loads(summary.to_json())
        self.explained_json: dict[str, Any] = json.loads(explained.to_json())
        self.titles = {name: opened.view(name).title for name in VIEWS}
        with opened_profile(path) as connection:
            of = subject(path, connection, Container())
            self.page: dict[str, Any] = run_data(of, "a")
            self.complete = of.summary.trust.complete and bool(of.summary.calls)

    @property
    def texts(self) -> list[str]:
        """What the terminal says."""
        return [self.summary, self.verbose, self.explained, *self.titles.values()]


@pytest.fixture(params=CORPUS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A profile of the corpus, without a diagnosis in it."""
    CORPUS[request.param](tmp_path / "a.rankwise")
    return tmp_path / "a.rankwise"


def test_no_screen_contradicts_another_one(path: Path) -> None:
    seen = _Screens(path)
    told = seen.json["diagnosis"]
    assert seen.explained_json["diagnosis"] == told
    assert seen.page["lead"] == seen.page["overview"]["verdict"] == told["verdict"]
    assert seen.explained.count(told["verdict"]) == 1
    if seen.complete:
        assert seen.summary.count(told["verdict"]) == seen.verbose.count(told["verdict"]) == 1
    _same_parts(seen, told["parts"])
    _same_late_ranks(seen, told["late"])
    _same_processors(seen, seen.json["shortages"])
    assert seen.explained_json["findings"] == seen.json["findings"]


def _same_parts(seen: _Screens, parts: list[dict[str, Any]]) -> None:
    percents = {part["name"]: part["percent_of_run"] for part in parts}
    if not seen.page["overview"]["time"]["missing"]:
        assert sum(percents.values()) == pytest.approx(100.0)
    shown = {part["name"]: part["percent"] for part in seen.page["overview"]["time"]["parts"]}
    assert shown == {name: percents[name] for name in shown}
    assert percents["compute"] == pytest.approx(seen.json["times"]["rest_percent_of_run"])


def _same_late_ranks(seen: _Screens, late: dict[str, Any]) -> None:
    title = seen.page["overview"]["late"]["title"]
    group = late["group"]
    for other in (seen.titles["waiting"], seen.page.get("balance", {}).get("late", {}).get("title", "")):
        if late["is_known"] and other and not seen.json["hang"]:
            assert other.lower().endswith(f"; {title.lower()}")
        assert ("caused" in other) == bool(group)
    found = [one for one in seen.json["findings"] if one["rule"] == "late-ranks"]
    assert len(found) == bool(group)
    if group:
        named = cpu_text(group["group"]["ranks"])
        assert named in title
        assert named in found[0]["title"]
        _same_seconds(seen, late)
    for text in seen.texts:
        assert "to blame" not in text


def _same_seconds(seen: _Screens, late: dict[str, Any]) -> None:
    """Have one number for what others waited for those who are late, in sentences, cards and tables."""
    group = late["group"]
    waited = {row["rank"]: row["seconds"] for row in seen.page["overview"]["late"]["rows"]}
    assert waited == {row["rank"]: row["seconds"] for row in late["most"]}
    if waited.keys() >= set(group["group"]["ranks"]):
        assert sum(waited[rank] for rank in group["group"]["ranks"]) == pytest.approx(group["seconds"])
    parts = [seen.json[name] for name in ("waiting", "messages") if seen.json[name]]
    if all(part["late"] for part in parts):
        shares = (part["percent_for_late"] / 100 * _waited(part) for part in parts)
        assert sum(shares) == pytest.approx(group["seconds"])


def _waited(part: dict[str, Any]) -> float:
    return float(part["waiting_seconds"] if "waiting_seconds" in part else part["waiting"]["seconds"])


def _same_processors(seen: _Screens, state: dict[str, Any]) -> None:
    """Test of the corpus what test_shortages.py tests of each state of the processors."""
    rules = {one["rule"] for one in seen.json["findings"]}
    nothing = seen.explained_json["nothing_found"]
    assert bool(state["sharing"]) == bool(rules & {"oversubscribed", "badly-bound"})
    assert ("preempted" in rules) <= bool(state["preempted"])
    for text in seen.texts:
        assert ("often preempted" in text) <= bool(state["preempted"] and "preempted" not in nothing)
    if any("start fewer ranks" in one["cure"] for one in seen.page.get("place", {}).get("faults", [])):
        assert state["sharing"]


def test_what_is_kept_is_what_would_be_made(path: Path) -> None:
    fresh = _Screens(path)
    _keep(path)
    with opened_profile(path) as connection:
        seen = Evidence(connection)
        read, made = kept.diagnosis(seen), make_diagnosis(Evidence(connection))
        assert not {"waiting", "messages", "ranks", "places"} & vars(seen).keys()
    assert read == made
    again = _Screens(path)
    assert again.texts == fresh.texts
    assert again.json == fresh.json
    assert again.explained_json == fresh.explained_json


@pytest.fixture
def late(tmp_path: Path) -> Path:
    path = tmp_path / "a.rankwise"
    overview_profiles.late_rank(path)
    _keep(path)
    return path


def verdict_of(path: Path) -> str:
    with opened_profile(path) as connection:
        return kept.diagnosis(Evidence(connection)).verdict


def test_what_is_kept_is_shown(late: Path) -> None:
    _change(late, "UPDATE diagnosis SET found = json_set(found, '$.verdict', 'All is well.')")
    assert verdict_of(late) == "All is well."


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE diagnosis SET found = json_set(found, '$.verdict', 'All is well.'), rules = '0.0.1/1'",
        "UPDATE diagnosis SET found = json_set(found, '$.verdict', 1)",
        "UPDATE diagnosis SET found = json_set(found, '$.parts', json('[1]'))",
        "UPDATE diagnosis SET found = json_set(found, '$.late.ranks', json('{}'))",
        "UPDATE diagnosis SET found = json_set(found, '$.findings.found[0].finding.command.verb', 'x; y')",
        "UPDATE diagnosis SET found = json_set(found, '$.findings.found[0].finding.confidence', 'utter')",
        "UPDATE diagnosis SET found = json_remove(found, '$.limit')",
        "UPDATE diagnosis SET found = substr(found, 1, length(found) / 2)",
        "UPDATE diagnosis SET found = x'00ff'",
        "UPDATE diagnosis SET found = replace(hex(zeroblob(100000)), '0', '[')",
        "DELETE FROM diagnosis",
    ],
)
def test_what_is_damaged_or_by_other_rules_is_made_anew(late: Path, damage: str) -> None:
    before = rankwise.open(late).explain().to_json()
    _change(late, damage)
    assert rankwise.open(late).explain().to_json() == before


def test_options_of_a_stranger_s_command_stay_words(late: Path) -> None:
    at = "$.findings.found[0].finding.command.options"
    _change(late, f"UPDATE diagnosis SET found = json_set(found, '{at}', json('[\"; x\"]'))")
    first = rankwise.open(late).explain().data["findings"][0]
    assert first["command"].endswith(" '; x'")


def test_reading_it_needs_no_rules_and_no_numpy(late: Path) -> None:
    code = f"""
import sys
from rankwise.__main__ import main
main(["show", {str(late)!r}])
main(["explain", {str(late)!r}])
print()
print(sorted({{"numpy", "rankwise.findings.registry", "rankwise.findings.late"}} & set(sys.modules)))
"""
    assert output_of(code, late.parent).splitlines()[-1] == "[]"


def test_of_a_part_the_late_rank_is_that_of_the_part(tmp_path: Path) -> None:
    path = tmp_path / "a.rankwise"
    phased_run.run_of_eight().write(path)
    _keep(path)
    _change(path, "UPDATE diagnosis SET found = json_set(found, '$.late.who', 'rank 77')")
    opened = rankwise.open(path)
    assert "ank 77" not in opened.view("waiting", rank="0-3").title


def kept_rules(path: Path) -> list[tuple[str]]:
    with opened_profile(path) as connection:
        found: list[tuple[str]] = connection.execute("SELECT rules FROM diagnosis").fetchall()
        return found


def test_verbs_that_make_profiles_keep_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recovered = write_world(tmp_path / "solver.17.rankwise-run", small_world())
    assert main(["recover", str(recovered)]) == 0
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    collected = write_world(jobs / "solver.18.rankwise-run", small_world())
    two_hours_ago = time.time() - 7200
    for path in collected.iterdir():
        os.utime(path, (two_hours_ago, two_hours_ago))
    assert main(["collect", str(jobs)]) == 0
    made = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert len(made) == 2
    for path in made:
        assert kept_rules(path) == [(kept.RULES,)]


def test_it_goes_to_json_and_back(late: Path) -> None:
    with opened_profile(late) as connection:
        told = make_diagnosis(Evidence(connection))
    assert from_json(Diagnosis, json.loads(json.dumps(to_json(told)))) == told


def test_a_rule_that_fails_costs_no_profile(late: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _change(late, "DELETE FROM diagnosis")
    monkeypatch.setattr("rankwise.diagnosis.make.make_diagnosis", lambda _: 1 / 0)
    _keep(late)
    with opened_profile(late) as connection:
        assert connection.execute("SELECT COUNT(*) FROM diagnosis").fetchone() == (0,)


# What only the diagnosis says: who is late, what limits, how ranks get processors.
_CONCLUDES = re.compile(
    r"\b(late|later|lateness|caused|blame\w*|limit\w*|crowded|oversubscribed|preempted|deadlock|stands? out)"
    r"\b",
    re.IGNORECASE,
)
_DRAWN = ("matrix", "communicators", "sizes", "balance", "timeline")


def _titles(data: Any) -> Iterator[str]:
    """Give the titles of all figures, cards and tables of a page."""
    if isinstance(data, dict):
        for name, value in data.items():
            if name == "title" and isinstance(value, str):
                yield value
            yield from _titles(value)
    elif isinstance(data, list):
        for one in data:
            yield from _titles(one)


def _drawn_titles(path: Path) -> list[str]:
    opened = rankwise.open(path)
    found = []
    for what in _DRAWN:
        figure = Figure()
        getattr(opened.plot, what)(ax=figure.subplots())
        found += [axes.get_title(loc="left") for axes in figure.axes]
    return found


def test_titles_conclude_nothing_that_the_diagnosis_does_not_have(path: Path) -> None:
    """Of all pages of the report and all plots: who is late, and the like, is a sentence of the diagnosis."""
    with opened_profile(path) as connection:
        of = subject(path, connection, Container())
        page, told, hang = run_data(of, "a"), of.diagnosis, of.seen.hang
    known = [told.verdict, late_sentence(told.late), *(one.finding.title for one in told.findings.found)]
    known += shortage_fields(told.account.shortages)
    if hang:
        known += [hang_text(hang), waited_title(hang)]
    for title in (*_titles(page), *_drawn_titles(path)):
        # (What a share is of, and what a column or a figure is about, is no conclusion.)
        rest = re.sub(r"waiting for (other )?ranks that (come|came) late", "", _words(title))
        for sentence in known:
            rest = re.sub(re.escape(_words(sentence)), "", rest, flags=re.IGNORECASE)
        assert not _CONCLUDES.search(rest), title


def test_the_end_of_top_concludes_nothing_but_whom_ranks_wait_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some ranks wait in a barrier for another one, which computes: that sentence is the diagnosis' own."""
    set_time(monkeypatch, 40.0)
    world = [running(process, 3.0, "MPI_Barrier", 4.0, PART) for process in small_world()]
    running(world[2], 3.0)
    assert main(["top", "--once", str(write(tmp_path / "job", world))]) == 0
    shown = _words(capsys.readouterr().out)
    assert "rank 0 waits in MPI_Barrier on W_s1.0 for rank 2" in shown
    assert not _CONCLUDES.search(shown)
