"""Results for pipelines: Markdown, JUnit's XML, GitLab's Code Quality and a badge.

Sources: GitLab, "Code Quality report format"; the schema of JUnit reports that GitLab reads.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from rankwise.errors import RankwiseError

_RED, _GREEN, _GREY = "#c62828", "#2e7d32", "#616161"
_CHARACTER_PIXELS, _PADDING_PIXELS, _HEIGHT_PIXELS = 7, 10, 20


class Case(NamedTuple):
    """A figure that is checked.

    Attributes:
        name: of the figure.
        text: its values.
        failed: whether the gate fails because of it.
    """

    name: str
    text: str
    failed: bool


class Issue(NamedTuple):
    """A problem.

    Attributes:
        text: a sentence.
        rule: that found it.
        severity: as Code Quality names it: blocker, critical, major, minor.
        subject: of the problem.
    """

    text: str
    rule: str
    severity: str
    subject: str


class Outcome(NamedTuple):
    """The results for a pipeline.

    Attributes:
        verb: of Rankwise.
        done: what it did, in a word, if there is no gate.
        title: the main finding, a sentence without its full stop.
        gate: the sentence on the gate, '' = no gate.
        failed: whether the job got worse by more than the gate allows.
        heads: of the table; the first is of names, the last of words, all others of figures.
        rows: of the table.
        lists: headings, and the sentences below each.
        foot: lines on the runs.
        cases: the figures that are checked.
        issues: all except the gate's.
        metric: of the gate.
        program: command lines of the programs.
        profile: path of the profile with the problem.
        badge: label and text of the badge.
        is_known: whether there are enough runs to tell a change from noise.
    """

    verb: str
    done: str
    title: str
    gate: str
    failed: bool
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    lists: Sequence[tuple[str, Sequence[str]]]
    foot: Sequence[str]
    cases: Sequence[Case]
    issues: Sequence[Issue]
    metric: str
    program: Sequence[Sequence[str]]
    profile: str
    badge: tuple[str, str]
    is_known: bool


def text_for(path: PurePath, outcome: Outcome) -> str:
    """Return the file's text, by the ending of its name.

    Raises:
        RankwiseError: unknown ending.
    """
    write = _KINDS.get(path.suffix.lower())
    if write is None:
        raise RankwiseError(f"--output {path}: give a name that ends with {', '.join(_KINDS)}")
    return write(outcome)


def _markdown(outcome: Outcome) -> str:
    mark = {True: "FAILED", False: "passed"}[outcome.failed] if outcome.gate else outcome.done
    lines = [f"### Rankwise: {mark}", "", f"{_escaped(outcome.title)}.", ""]
    lines += [f"**{_escaped(outcome.gate)}**", ""] if outcome.gate else []
    if outcome.rows:
        figures = "--:|" * (len(outcome.heads) - 2)
        lines += [f"| {' | '.join(outcome.heads)} |", f"|---|{figures}---|"]
        lines += [f"| {' | '.join(map(_escaped, row))} |" for row in outcome.rows]
    for heading, sentences in outcome.lists:
        if sentences:
            lines += ["", f"**{heading}**", "", *(f"- {_escaped(sentence)}" for sentence in sentences)]
    lines += ["", *(f"    {line}" for line in outcome.foot), ""]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in "|*_<>`[]\\" else character for character in text)


def _junit(outcome: Outcome) -> str:
    suite = Xml.Element(
        "testsuite",
        name="rankwise",
        tests=str(len(outcome.cases)),
        failures=str(int(outcome.failed)),
        errors="0",
    )
    for case in outcome.cases:
        element = Xml.SubElement(suite, "testcase", classname=f"rankwise.{outcome.verb}", name=case.name)
        if case.failed:
            failure = Xml.SubElement(element, "failure", message=outcome.gate)
            failure.text = f"{case.text}\n{outcome.title}."
        else:
            Xml.SubElement(element, "system-out").text = case.text
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(suite, encoding="unicode") + "\n"


def _code_quality(outcome: Outcome) -> str:
    gate = [Issue(outcome.gate, "fail-above", "blocker", outcome.metric)] if outcome.failed else []
    return json.dumps([_issue(outcome, issue) for issue in (*gate, *outcome.issues)], indent=1) + "\n"


def _issue(outcome: Outcome, issue: Issue) -> dict[str, object]:
    # A fingerprint has to be the same in the next pipeline, or the issue would be shown as new again.
    words = (word for program in outcome.program for word in program)
    identity = "\0".join((issue.rule, issue.subject, *words))
    return {
        "description": issue.text,
        "check_name": f"rankwise/{issue.rule}",
        "fingerprint": hashlib.sha256(identity.encode()).hexdigest(),
        "severity": issue.severity,
        "location": {"path": outcome.profile, "lines": {"begin": 1}},
    }


def _badge(outcome: Outcome) -> str:
    label, text = outcome.badge
    colour = _RED if outcome.failed else _GREEN if outcome.is_known else _GREY
    left, right = (len(word) * _CHARACTER_PIXELS + _PADDING_PIXELS for word in (label, text))
    height, whole = _HEIGHT_PIXELS, left + right
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{height}" role="img"'
        f' aria-label="{label}: {text}"><title>{label}: {text}</title>'
        f'<rect width="{left}" height="{height}" fill="#424242"/>'
        f'<rect x="{left}" width="{right}" height="{height}" fill="{colour}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="14">{label}</text>'
        f'<text x="{left + right / 2:g}" y="14">{text}</text></g></svg>\n'
    )


_KINDS: dict[str, Callable[[Outcome], str]] = {
    ".md": _markdown,
    ".xml": _junit,
    ".json": _code_quality,
    ".svg": _badge,
}
