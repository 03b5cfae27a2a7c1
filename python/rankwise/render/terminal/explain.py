"""Findings, efficiency and the meaning of metrics on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from rankwise.analysis.overview import Run
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.diagnosis.model import Diagnosis
from rankwise.findings.as_json import command_line
from rankwise.findings.finding import Fact, NoAnswer, Rule
from rankwise.findings.metrics import Metric
from rankwise.findings.search import LEAST_PERCENT, Findings, Found
from rankwise.findings.texts import confidence_text, facts_text, saved_text, sure_share_text
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.view import show_table
from rankwise.text.summary import efficiency_notes
from rankwise.views.view import COUNT, RATIO, SECONDS, Column, Detail, Table, label

_LABEL = 12  # columns
_LABEL_OF_FOOT = 10  # columns, as of the other lines there
_IN_SUMMARY = 16  # columns, at least
_LEAST_WIDTH = 30

_EFFICIENCY: list[Column[Efficiency]] = [
    label("region", lambda row: row.region or "(run)", "including nested regions; (run): the whole run"),
    Column("ranks", lambda row: row.ranks, COUNT, "that were in it", obvious=True),
    Column("time", lambda row: row.seconds, SECONDS, "of the rank that spent the longest in the region"),
    Column("useful", lambda row: row.useful_mean_seconds, SECONDS, "mean time of a rank outside of MPI"),
    Column(
        "most useful",
        lambda row: row.useful_most_seconds,
        SECONDS,
        "the largest useful time, and its rank",
        mark=lambda row: f" ({row.useful_most_rank})",
    ),
    Column("parallel", lambda row: row.parallel, RATIO, "parallel efficiency = useful / time"),
    Column("balance", lambda row: row.load_balance, RATIO, "load balance = useful / most useful"),
    Column("commun.", lambda row: row.communication, RATIO, "communication efficiency = most useful / time"),
    Column(
        "serial.",
        lambda row: row.split.serialisation if row.split else None,
        RATIO,
        "serialisation efficiency = most useful / time on an ideal network, estimated",
    ),
    Column(
        "transfer",
        lambda row: row.split.transfer if row.split else None,
        RATIO,
        "transfer efficiency = time on an ideal network / time, estimated",
    ),
]


def summary_lines(page: Page, entries: Sequence[Found], run: Run, path: Path) -> list[Text]:
    """Return a title and a command for each finding; neither is cut."""
    lines: list[Text] = []
    shares = [sure_share_text(entry) for entry in entries]
    width = max([_IN_SUMMARY, *(len(share) + 2 for share in shares)])
    for entry, share in zip(entries, shares, strict=True):
        title = _labelled(page, share, entry.finding.title, 0, width)
        command = command_line(entry.finding.command, run, path)
        lines += [*title, page.text(" " * width + command)]
    head = page.text("findings: possible saving, share of all ranks' run time (confidence)")
    return [Text(), head, *lines] if lines else []


def brief_finding_lines(page: Page, entries: Sequence[Found], run: Run, path: Path) -> list[Text]:
    """Return the possible saving, the title and the command of each finding."""
    return [
        line
        for entry in entries
        for line in (
            *_labelled(
                page, "finding", f"{sure_share_text(entry)}: {entry.finding.title}", 0, _LABEL_OF_FOOT
            ),
            page.text(" " * _LABEL_OF_FOOT + command_line(entry.finding.command, run, path)),
        )
    ]


def write_explanation(
    page: Page,
    diagnosis: Diagnosis,
    run: Run,
    path: Path,
    partial: str,
    limit: int,
    *,
    verbose: bool,
) -> None:
    """Write the efficiency, the findings, and which rules have no answer and why.

    Args:
        page: to write to.
        diagnosis: of the run.
        run: its facts.
        path: of the profile.
        partial: why the profile is partial, '' if it is not.
        limit: rows of the table, 0 for all.
        verbose: whether to include findings that could save next to nothing.
    """
    if partial:
        page.write(*page.wrapped(f"PARTIAL: {partial}", "bold red", indent=2), Text())
    findings, efficiency = diagnosis.findings, diagnosis.account.efficiency
    page.write(*page.wrapped(diagnosis.verdict, "bold"), Text())
    rows = [*([efficiency] if efficiency else []), *diagnosis.account.regions]
    notes = efficiency_notes(efficiency) if efficiency else []
    empty = "No rank had time between MPI_Init and MPI_Finalize."
    show_table(
        page, Table(_EFFICIENCY, rows, empty, title="Efficiency (POP)", notes=notes), Detail.BRIEF, limit
    )
    page.write(Text())
    if not findings.found:
        page.write(*page.wrapped("No rule found a possible saving."))
    shown = [entry for entry in findings.found if verbose or entry.saved_percent_of_run >= LEAST_PERCENT]
    for number, entry in enumerate(shown, 1):
        page.write(*page.wrapped(f"{number}. {entry.finding.title}", "bold", indent=3, units=True))
        page.write(*_finding_lines(page, entry, run, path), Text())
    if unlisted := len(findings.found) - len(shown):
        page.write(*page.wrapped(_left_out(unlisted, more=bool(shown))), Text())
    if findings.silent:
        page.write(*page.wrapped("Could not be checked", "bold"))
        for silent in findings.silent:
            page.write(*page.wrapped(f"{silent.rule}: {silent.why}.", indent=2))
        page.write(Text())
    if findings.nothing:
        page.write(*page.wrapped(f"Checked, not found: {', '.join(findings.nothing)}.", "dim"))


def write_metric(page: Page, metric: Metric, value: Fact | NoAnswer | None) -> None:
    """Write the definition of a metric, and its value."""
    page.write(*page.wrapped(metric.name, "bold"))
    lines = [("meaning", metric.meaning), ("formula", metric.formula), ("source", metric.source)]
    if isinstance(value, Fact):
        lines.append(("value", f"{value.what}: {value.text}"))
    elif value:
        lines.append(("value", f"unknown: {value.why}"))
    for name, text in lines:
        page.write(*_labelled(page, name, text, indent=2))


def write_rule(page: Page, rule: Rule, findings: Findings | None, run: Run | None, path: Path) -> None:
    """Write the description of a rule, and its findings."""
    page.write(*page.wrapped(rule.id, "bold"))
    for name, text in (
        ("looks for", rule.looks_for),
        ("when", rule.when),
        ("could save", rule.formula),
        ("advice", rule.advice),
    ):
        page.write(*_labelled(page, name, text, indent=2))
    if findings is None or run is None:
        return
    page.write(Text())
    silent = [answer.why for answer in findings.silent if answer.rule == rule.id]
    entries = [entry for entry in findings.found if entry.finding.rule == rule.id]
    for entry in entries:
        page.write(*page.wrapped(entry.finding.title, "bold", indent=3, units=True))
        page.write(*_finding_lines(page, entry, run, path))
    if not entries:
        page.write(*page.wrapped(f"Unknown: {silent[0]}." if silent else "Not found."))


def write_words(page: Page, metrics: Sequence[Metric], rules: Sequence[Rule]) -> None:
    """Write a line for each metric and each rule."""
    width = max(len(name) for name in (*(word.name for word in metrics), *(word.id for word in rules))) + 2
    for title, words in (
        ("Metrics", [(word.name, word.formula) for word in metrics]),
        ("Rules", [(word.id, word.looks_for) for word in rules]),
    ):
        page.write(*page.wrapped(title, "bold"))
        for name, text in words:
            page.write(*_labelled(page, name, text, 2, width))


def _left_out(number: int, *, more: bool) -> str:
    """Return how many findings are not shown."""
    what = f"{number} more" if more else f"{number} finding{'s' * (number > 1)}"
    each, them = (", each", "them") if number > 1 else (",", "it")
    return f"{what}{each} below {LEAST_PERCENT:.0f} % of the run: -v shows {them}"


def _finding_lines(page: Page, entry: Found, run: Run, path: Path) -> list[Text]:
    finding = entry.finding
    return [
        *_labelled(page, "could save", saved_text(entry)),
        *_labelled(page, "formula", finding.formula),
        *_facts(page, "inputs", finding.inputs),
        *_facts(page, "evidence", finding.evidence),
        *_labelled(page, "confidence", confidence_text(finding)),
        page.text(f"   {'command':{_LABEL}}{command_line(finding.command, run, path)}"),
        *_labelled(page, "rule", f"{finding.rule} (rankwise explain {finding.rule})"),
    ]


def _facts(page: Page, name: str, facts: Sequence[Fact]) -> list[Text]:
    if not facts:
        return []
    return _labelled(page, name, facts_text(facts))


def _labelled(page: Page, name: str, text: str, indent: int = 3, label_width: int = _LABEL) -> list[Text]:
    """Return the text in lines, with its name on the left of the first."""
    left = " " * (indent + label_width)
    lines = page.folded(page.text(text), max(page.width - len(left), _LEAST_WIDTH), units=True)
    for line in lines:
        line.rstrip()
    first = page.text(f"{' ' * indent}{name:{label_width}}")
    return [(page.text(left) if number else first) + line for number, line in enumerate(lines)]
