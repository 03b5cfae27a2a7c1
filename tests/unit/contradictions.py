"""What the screens of one profile say against each other."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rankwise
from rankwise.analysis.opened import opened_profile
from rankwise.cpulist import cpu_text
from rankwise.render.page.container import Container
from rankwise.render.page.contents.run import run_data
from rankwise.render.page.contents.subject import subject
from rankwise.views.by import VIEWS

_CLOSE = 1e-6


class Screens:
    """All that is said of a profile."""

    def __init__(self, path: Path) -> None:
        opened = rankwise.open(path)
        summary, explained = opened.summary(), opened.explain()
        self.summary, self.explained = words(summary.text()), words(explained.text(verbose=True))
        self.verbose = words(summary.text(verbose=True))
        self.json: dict[str, Any] = json.loads(summary.to_json())
        self.explained_json: dict[str, Any] = json.loads(explained.to_json())
        self.titles = {name: opened.view(name).title for name in VIEWS}
        with opened_profile(path) as connection:
            of = subject(path, connection, Container())
            self.page: dict[str, Any] = run_data(of, "a")
            self.diagnosis, self.hang = of.diagnosis, of.seen.hang
            self.complete = of.summary.trust.complete and bool(of.summary.calls)

    @property
    def texts(self) -> list[str]:
        """What the terminal says."""
        return [self.summary, self.verbose, self.explained, *self.titles.values()]


def contradictions(seen: Screens) -> list[str]:
    """Return in what the screens of a profile differ, a line each."""
    return [*_verdicts(seen), *_parts(seen), *_late_ranks(seen), *_processors(seen)]


def words(text: str) -> str:
    return " ".join(text.split())


def _verdicts(seen: Screens) -> Iterator[str]:
    diagnosis = seen.json["diagnosis"]
    verdict = diagnosis["verdict"]
    if seen.explained_json["diagnosis"] != diagnosis:
        yield "show and explain have different diagnoses"
    if not seen.page["lead"] == seen.page["overview"]["verdict"] == verdict:
        yield "the report's verdict is not that of the summary"
    screens = {"explain": seen.explained}
    if seen.complete:
        screens |= {"show": seen.summary, "show -v": seen.verbose}
    for name, text in screens.items():
        if text.count(verdict) != 1:
            yield f"{name} has the verdict {text.count(verdict)} times"
    if seen.explained_json["findings"] != seen.json["findings"]:
        yield "show and explain have different findings"


def _parts(seen: Screens) -> Iterator[str]:
    percents = {part["name"]: part["percent_of_run"] for part in seen.json["diagnosis"]["parts"]}
    time = seen.page["overview"]["time"]
    if not time["missing"] and not _same(sum(percents.values()), 100.0):
        yield f"the parts of the run are {sum(percents.values())} %"
    for part in time["parts"]:
        if part["percent"] != percents[part["name"]]:
            yield f"{part['name']} is {part['percent']} % in the report, {percents[part['name']]} % elsewhere"
    if not _same(percents["compute"], seen.json["times"]["rest_percent_of_run"]):
        yield "what is outside of MPI is not what is computed"


def _same(first: float, other: float) -> bool:
    return math.isclose(first, other, rel_tol=_CLOSE, abs_tol=1e-12)


def _late_ranks(seen: Screens) -> Iterator[str]:
    late = seen.json["diagnosis"]["late"]
    title, group = seen.page["overview"]["late"]["title"], late["group"]
    balance = seen.page.get("balance", {}).get("late", {}).get("title", "")
    for name, other in (("--by waiting", seen.titles["waiting"]), ("Balance", balance)):
        is_shown = late["is_known"] and other and not seen.json["hang"]
        if is_shown and not other.lower().endswith(f"; {title.lower()}"):
            yield f"{name} says of late ranks: {other}; the report's first page: {title}"
        if ("caused" in other) != bool(group):
            yield f"{name} says of who caused waiting: {other}; the diagnosis: {group}"
    findings = [finding for finding in seen.json["findings"] if finding["rule"] == "late-ranks"]
    if len(findings) != bool(group):
        yield f"{len(findings)} findings late-ranks, and the diagnosis has {group}"
    elif group:
        named = cpu_text(group["group"]["ranks"])
        if named not in title or named not in findings[0]["title"]:
            yield f"the late ranks are {named}, {title}, and {findings[0]['title']}"
        yield from _late_seconds(seen, late)
    if any("to blame" in text for text in seen.texts):
        yield "a screen assigns guilt"


def _late_seconds(seen: Screens, late: dict[str, Any]) -> Iterator[str]:
    """Look whether there is one number for what others waited for those who are late."""
    group = late["group"]
    waited = {row["rank"]: row["seconds"] for row in seen.page["overview"]["late"]["rows"]}
    if waited != {row["rank"]: row["seconds"] for row in late["most"]}:
        yield f"the report says of late ranks: {waited}; the diagnosis: {late['most']}"
    if waited.keys() >= set(group["group"]["ranks"]):
        of_group = sum(waited[rank] for rank in group["group"]["ranks"])
        if not _same(of_group, group["seconds"]):
            yield f"others waited {of_group} s for the ranks of a group, and {group['seconds']} s for it"
    parts = [seen.json[name] for name in ("waiting", "messages") if seen.json[name]]
    if all(part["late"] for part in parts):
        shares = sum(part["percent_for_late"] / 100 * _waited(part) for part in parts)
        if not _same(shares, group["seconds"]):
            yield f"others waited {shares} s for late ranks in two parts, {group['seconds']} s in all"


def _waited(part: dict[str, Any]) -> float:
    return float(part["waiting_seconds"] if "waiting_seconds" in part else part["waiting"]["seconds"])


def _processors(seen: Screens) -> Iterator[str]:
    """Look at what tests/unit/test_shortages.py tests of each state of the processors."""
    state, rules = seen.json["shortages"], {finding["rule"] for finding in seen.json["findings"]}
    nothing = seen.explained_json["nothing_found"]
    if bool(state["sharing"]) != bool(rules & {"oversubscribed", "badly-bound"}):
        yield f"ranks share processors: {bool(state['sharing'])}, and the findings are {sorted(rules)}"
    if "preempted" in rules and not state["preempted"]:
        yield "the finding preempted is about nobody"
    is_preempted = bool(state["preempted"] and "preempted" not in nothing)
    if not is_preempted and any("often preempted" in text for text in seen.texts):
        yield "a screen says that ranks are often preempted, and there is no such finding"
    faults = seen.page.get("place", {}).get("faults", [])
    if not state["sharing"] and any("start fewer ranks" in fault["cure"] for fault in faults):
        yield "Place says that there are too many ranks, and no other screen does"
