"""A comparison for pipelines: Markdown, JUnit's XML, GitLab's Code Quality and a badge.

Sources: GitLab, "Code Quality report format"; the schema of JUnit reports that GitLab reads.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import PurePath
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from rankwise.comparison.compare import Comparison, Figure
from rankwise.comparison.findings import GONE, NEW, FindingChange
from rankwise.errors import RankwiseError
from rankwise.views.comparison.sentences import (
    NAMES,
    amount_text,
    change_text,
    percent_change_text,
    side_lines,
    title,
)

_RED, _GREEN, _GREY = "#c62828", "#2e7d32", "#616161"
_CHARACTER_PIXELS, _PADDING_PIXELS, _HEIGHT_PIXELS = 7, 10, 20
_SEVERITIES = ((20.0, "critical"), (5.0, "major"), (0.0, "minor"))
"""Severity of a finding, by the percent of the run that it could save."""


class Compared(NamedTuple):
    """The results for a pipeline.

    Attributes:
        found: the whole comparison.
        metric: of the gate, or `wall`.
        gate: the sentence on it, '' = no gate.
        failed: whether the job got worse by more than the gate allows.
    """

    found: Comparison
    metric: str
    gate: str
    failed: bool


def text_for(path: PurePath, compared: Compared) -> str:
    """Return the file's text, by the ending of its name.

    Raises:
        RankwiseError: unknown ending.
    """
    write = _KINDS.get(path.suffix.lower())
    if write is None:
        raise RankwiseError(f"--output {path}: give a name that ends with {', '.join(_KINDS)}")
    return write(compared)


def _percent(figure: Figure) -> str:
    percent = figure.value.percent
    return "-" if percent is None else f"{percent_change_text(percent)} %"


def _markdown(compared: Compared) -> str:
    comparison = compared.found
    mark = {True: "FAILED", False: "passed"}[compared.failed] if compared.gate else "compared"
    lines = [f"### Rankwise: {mark}", "", f"{_escaped(title(comparison))}.", ""]
    lines += [f"**{_escaped(compared.gate)}**", ""] if compared.gate else []
    lines += ["| the run | before | after | change | % | verdict |", "|---|--:|--:|--:|--:|---|"]
    for figure in comparison.whole:
        value, unit = figure.value, figure.unit
        cells = [NAMES[figure.name], amount_text(value.before, unit), amount_text(value.after, unit)]
        cells += [change_text(value.change, unit), _percent(figure).removesuffix(" %"), value.verdict]
        lines.append(f"| {' | '.join(map(_escaped, cells))} |")
    for state, heading in ((NEW, "New findings"), (GONE, "Findings that are gone")):
        changed = [finding for finding in comparison.findings if finding.state == state]
        lines += (
            ["", f"**{heading}**", "", *(f"- {_escaped(finding.title)}" for finding in changed)]
            if changed
            else []
        )
    lines += ["", *(f"    {line}" for line in side_lines(comparison)), ""]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in "|*_<>`[]\\" else character for character in text)


def _junit(compared: Compared) -> str:
    comparison = compared.found
    figures = comparison.whole
    suite = Xml.Element(
        "testsuite", name="rankwise", tests=str(len(figures)), failures=str(int(compared.failed)), errors="0"
    )
    for figure in figures:
        value = figure.value
        case = Xml.SubElement(suite, "testcase", classname="rankwise.diff", name=NAMES[figure.name])
        said = f"{amount_text(value.before, figure.unit)} to {amount_text(value.after, figure.unit)}"
        said += f" ({_percent(figure)}): {value.verdict}"
        if compared.failed and figure.name == compared.metric:
            Xml.SubElement(case, "failure", message=compared.gate).text = f"{said}\n{title(comparison)}."
        else:
            Xml.SubElement(case, "system-out").text = said
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(suite, encoding="unicode") + "\n"


def _code_quality(compared: Compared) -> str:
    comparison = compared.found
    new = [finding for finding in comparison.findings if finding.state == NEW]
    issues = [
        _issue(comparison, finding.title, finding.rule, _severity(finding), finding.subject)
        for finding in new
    ]
    if compared.failed:
        issues.insert(0, _issue(comparison, compared.gate, "fail-above", "blocker", compared.metric))
    return json.dumps(issues, indent=1) + "\n"


def _severity(finding: FindingChange) -> str:
    saved = finding.after.saved_percent_of_run or 0.0
    return next(name for least, name in _SEVERITIES if saved >= least)


def _issue(comparison: Comparison, text: str, rule: str, severity: str, subject: str) -> dict[str, object]:
    # A fingerprint has to be the same in the next pipeline, or the issue would be shown as new again.
    identity = "\0".join((rule, subject, *(word for program in comparison.after.program for word in program)))
    return {
        "description": text,
        "check_name": f"rankwise/{rule}",
        "fingerprint": hashlib.sha256(identity.encode()).hexdigest(),
        "severity": severity,
        "location": {"path": comparison.after.profiles[0], "lines": {"begin": 1}},
    }


def _badge(compared: Compared) -> str:
    figure = compared.found.figure(compared.metric)
    label, text = NAMES[figure.name], _percent(figure)
    colour = _RED if compared.failed else _GREY if figure.value.verdict == "unknown" else _GREEN
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


_KINDS: dict[str, Callable[[Compared], str]] = {
    ".md": _markdown,
    ".xml": _junit,
    ".json": _code_quality,
    ".svg": _badge,
}
