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
from contradictions import Screens, contradictions, words
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
from rankwise.diagnosis import kept
from rankwise.diagnosis.kept_content import RULES
from rankwise.diagnosis.make import make_diagnosis
from rankwise.diagnosis.model import Diagnosis
from rankwise.diagnosis.sentences import late_sentence
from rankwise.text.hang import hang_text, waited_title
from rankwise.text.processors import shortage_fields


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


@pytest.fixture(scope="module", params=CORPUS)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile of the corpus, without a diagnosis in it."""
    path = tmp_path_factory.mktemp("corpus") / "a.rankwise"
    CORPUS[request.param](path)
    return path


@pytest.fixture(scope="module")
def screens(path: Path) -> Screens:
    return Screens(path)


def test_no_screen_contradicts_another_one(screens: Screens) -> None:
    assert contradictions(screens) == []


@pytest.fixture
def kept_in(path: Path) -> Iterator[Path]:
    """Return the profile of the corpus with its diagnosis in it: the same place, for the same screens."""
    content = path.read_bytes()
    _keep(path)
    yield path
    path.write_bytes(content)


def test_what_is_kept_is_what_would_be_made(screens: Screens, kept_in: Path) -> None:
    path, fresh = kept_in, screens
    with opened_profile(path) as connection:
        seen = Evidence(connection)
        read, made = kept.diagnosis(seen), make_diagnosis(Evidence(connection))
        assert not {"waiting", "messages", "ranks", "places"} & vars(seen).keys()
    assert read == made
    again = Screens(path)
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
    _change(late, "UPDATE diagnosis SET content = json_set(content, '$.verdict', 'All is well.')")
    assert verdict_of(late) == "All is well."


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE diagnosis SET content = json_set(content, '$.verdict', 'All is well.'), rules = '0.0.1/1'",
        "UPDATE diagnosis SET content = json_set(content, '$.verdict', 1)",
        "UPDATE diagnosis SET content = json_set(content, '$.parts', json('[1]'))",
        "UPDATE diagnosis SET content = json_set(content, '$.late.ranks', json('{}'))",
        "UPDATE diagnosis SET content ="
        " json_set(content, '$.findings.found[0].finding.command.verb', 'x; y')",
        "UPDATE diagnosis SET content = json_set(content, '$.findings.found[0].finding.confidence', 'utter')",
        "UPDATE diagnosis SET content = json_remove(content, '$.limit')",
        "UPDATE diagnosis SET content = substr(content, 1, length(content) / 2)",
        "UPDATE diagnosis SET content = x'00ff'",
        "UPDATE diagnosis SET content = replace(hex(zeroblob(100000)), '0', '[')",
        "DELETE FROM diagnosis",
    ],
)
def test_what_is_damaged_or_by_other_rules_is_made_anew(late: Path, damage: str) -> None:
    before = rankwise.open(late).explain().to_json()
    _change(late, damage)
    assert rankwise.open(late).explain().to_json() == before


def test_options_of_a_stranger_s_command_stay_words(late: Path) -> None:
    at = "$.findings.found[0].finding.command.options"
    _change(late, f"UPDATE diagnosis SET content = json_set(content, '{at}', json('[\"; x\"]'))")
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
    _change(path, "UPDATE diagnosis SET content = json_set(content, '$.late.who', 'rank 77')")
    opened = rankwise.open(path)
    assert "ank 77" not in opened.view("waiting", rank="0-3").title


def kept_rules(path: Path) -> list[tuple[str]]:
    with opened_profile(path) as connection:
        rows: list[tuple[str]] = connection.execute("SELECT rules FROM diagnosis").fetchall()
        return rows


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
        assert kept_rules(path) == [(RULES,)]


def test_it_goes_to_json_and_back(late: Path) -> None:
    with opened_profile(late) as connection:
        diagnosis = make_diagnosis(Evidence(connection))
    assert from_json(Diagnosis, json.loads(json.dumps(to_json(diagnosis)))) == diagnosis


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
        for entry in data:
            yield from _titles(entry)


def _drawn_titles(path: Path) -> list[str]:
    opened = rankwise.open(path)
    titles = []
    for what in _DRAWN:
        figure = Figure()
        getattr(opened.plot, what)(ax=figure.subplots())
        titles += [axes.get_title(loc="left") for axes in figure.axes]
    return titles


def test_titles_conclude_nothing_that_the_diagnosis_does_not_have(path: Path, screens: Screens) -> None:
    """Of all pages of the report and all plots: who is late, and the like, is a sentence of the diagnosis."""
    diagnosis, hang = screens.diagnosis, screens.hang
    known = [
        diagnosis.verdict,
        late_sentence(diagnosis.late),
        *(entry.finding.title for entry in diagnosis.findings.found),
    ]
    known += shortage_fields(diagnosis.account.shortages)
    if hang:
        known += [hang_text(hang), waited_title(hang)]
    for title in (*_titles(screens.page), *_drawn_titles(path)):
        # (What a share is of, and what a column or a figure is about, is no conclusion.)
        rest = words(title).replace("waiting for late ranks", "")
        for sentence in known:
            rest = re.sub(re.escape(words(sentence)), "", rest, flags=re.IGNORECASE)
        assert not _CONCLUDES.search(rest), title


def test_the_end_of_top_concludes_nothing_but_whom_ranks_wait_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some ranks wait in a barrier for another one, which computes: that sentence is the diagnosis' own."""
    set_time(monkeypatch, 40.0)
    world = [running(process, 3.0, "MPI_Barrier", 4.0, PART) for process in small_world()]
    running(world[2], 3.0)
    assert main(["top", "--once", str(write(tmp_path / "job", world))]) == 0
    shown = words(capsys.readouterr().out)
    assert "rank 0 waits in MPI_Barrier on W_s1.0 for rank 2" in shown
    assert not _CONCLUDES.search(shown)
