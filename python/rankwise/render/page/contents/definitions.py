"""Definitions of the words on the pages: metrics, columns, rules of the verdict and findings, waiting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankwise.findings.finding import Fact, Rule
from rankwise.findings.metrics import METRICS, Metric
from rankwise.findings.registry import RULES
from rankwise.findings.search import LEAST_PERCENT, MOST_IN_SUMMARY
from rankwise.findings.verdict import VERDICTS, VerdictRule
from rankwise.render.page.contents.packed_tables import table_data
from rankwise.render.page.contents.sections import section
from rankwise.render.page.contents.subject import Subject
from rankwise.text.empty import NO_WAITS, no_arrivals
from rankwise.text.units import percent_text, second_text
from rankwise.views.by.waiting import waiting_notes
from rankwise.views.message_waits import certainty_note
from rankwise.views.totals_columns import OF_MPI_MEANING, OF_RUN_MEANING, RECEIVED, SENT, TIME
from rankwise.views.view import TEXT, Column, Detail, Table, label

_GROUP = "Definitions"
_MPI = "MPI standard 4.1"
_PROFILE = "docs/reference/profile-format.md"
_WAITING = "docs/explanation/waiting.md"


@dataclass(frozen=True)
class _Word:
    """A word of the pages."""

    name: str
    meaning: str
    formula: str
    source: str


_WORDS = (
    _Word(
        "calls",
        "Calls that returned, summed over ranks. MPI_Init, MPI_Finalize and similar calls are listed "
        "separately and are in no sum.",
        "count",
        _PROFILE,
    ),
    _Word("sent", SENT.meaning, "elements x MPI_Type_size", f"{_MPI}, chapters 3, 5, 6, 12 and 14"),
    _Word("received", RECEIVED.meaning, "MPI_Get_count x MPI_Type_size", f"{_MPI}, chapter 3"),
    _Word("time (sum)", TIME.meaning, "sum of (end - begin) of each call", _PROFILE),
    _Word("% of MPI", OF_MPI_MEANING, "time / sum of the time of all calls", _PROFILE),
    _Word("% of run", OF_RUN_MEANING, "time / sum over ranks of (run time x threads)", _PROFILE),
    _Word(
        "size",
        "Bytes of one call, in bins: from one power of two up to, but not including, the next.",
        "2^n <= bytes < 2^(n+1)",
        _PROFILE,
    ),
    _Word(
        "imbalance (of a table)",
        "How unevenly the time in these calls is distributed over ranks; 1.00: all ranks are equal.",
        "maximum time of a rank / mean of all ranks",
        "docs/explanation/explain.md",
    ),
    _Word(
        "communicator",
        "Named by its ancestry: W is MPI_COMM_WORLD, W_s1 was created by the first MPI_Comm_split of W. "
        "Communicators created by one line of the program are a family.",
        "",
        f"{_MPI}, chapter 7; {_PROFILE}",
    ),
    _Word(
        "root cause (in collectives)",
        "Waiting of others for a late rank, after passing on indirect waiting: a rank that itself waited "
        "passes that part on to the rank it waited for.",
        "caused - passed on + received from others",
        _WAITING,
    ),
    _Word(
        "root cause",
        "Waiting of others for a rank, in collectives and for messages, after passing on indirect waiting, "
        "for any cause of its lateness. Summed over ranks, it is all waiting. The numbers of ranks "
        "reported as late exclude waiting while they were in the previous collective.",
        "caused in collectives after passing on + waits for messages that it caused",
        _WAITING,
    ),
    _Word(
        "in MPI, unclassified",
        "Time in calls of MPI of which no sample tells who waited, such as MPI_Test, MPI_Iprobe, waits for"
        " partitioned communication, and calls that make communicators.",
        "time in MPI - waiting - transfer - MPI-IO",
        _WAITING,
    ),
    _Word(
        "transfer (of the run)",
        "Time in collectives, receives, waits and sends while no rank was late, and in calls that only "
        "start communication.",
        "known time in MPI - waiting",
        _WAITING,
    ),
)


def definition_sections(of: Subject) -> list[dict[str, Any]]:
    """Return the definitions of words, and the sources of the figures."""
    return [_metrics(of), _words(), _verdicts(), _rules(of), _waiting(of)]


def _metrics(of: Subject) -> dict[str, Any]:
    def value(metric: Metric) -> str:
        fact = metric.value(of.seen)
        return fact.text if isinstance(fact, Fact) else f"unknown: {fact.why}"

    columns: list[Column[Metric]] = [
        label("metric", lambda row: row.name, "as argument of `rankwise explain`"),
        label("of this run", value, "or why it is unknown", kind=TEXT),
        label("meaning", lambda row: row.meaning, "", kind=TEXT),
        label("formula", lambda row: row.formula, "", kind=TEXT),
        label("source", lambda row: row.source, "", kind=TEXT),
    ]
    return section("metrics", _GROUP, "Metrics", [], [table_data(Table(columns, METRICS, ""), Detail.BRIEF)])


def _words() -> dict[str, Any]:
    columns: list[Column[_Word]] = [
        label("word", lambda row: row.name, ""),
        label("meaning", lambda row: row.meaning, "", kind=TEXT),
        label("formula", lambda row: row.formula or None, "", kind=TEXT),
        label("source", lambda row: row.source, "", kind=TEXT),
    ]
    return section(
        "words", _GROUP, "Terms on the pages", [], [table_data(Table(columns, _WORDS, ""), Detail.BRIEF)]
    )


def _verdicts() -> dict[str, Any]:
    columns: list[Column[VerdictRule]] = [
        label("what limits", lambda row: row.limit, ""),
        label("when", lambda row: row.when, "condition", kind=TEXT),
    ]
    return section(
        "verdicts",
        _GROUP,
        "How the verdict is chosen",
        ["The first rule that holds gives the verdict. Shares are of the run unless stated otherwise."],
        [table_data(Table(columns, VERDICTS, ""), Detail.BRIEF)],
    )


def _rules(of: Subject) -> dict[str, Any]:
    findings = of.findings
    silent = {answer.rule: answer.why for answer in findings.silent}

    def state(rule: Rule) -> str:
        if rule.id in silent:
            return f"unknown: {silent[rule.id]}"
        entries = [entry for entry in findings.found if entry.finding.rule == rule.id]
        if not entries:
            return "not found"
        most = max(entry.saved_percent_of_run for entry in entries)
        return f"{len(entries)} found, up to {percent_text(most)} % of the run"

    columns: list[Column[Rule]] = [
        label("rule", lambda row: row.id, "as argument of `rankwise explain`"),
        label("in this run", state, "", kind=TEXT),
        label("looks for", lambda row: row.looks_for, "", kind=TEXT),
        label("when", lambda row: row.when, "", kind=TEXT),
        label("could save", lambda row: row.formula, "", kind=TEXT),
        label("advice", lambda row: row.advice, "", kind=TEXT),
    ]
    return section(
        "rules",
        _GROUP,
        "Rules of findings",
        [
            f"The overview shows up to {MOST_IN_SUMMARY} findings that could save at least "
            f"{LEAST_PERCENT:.0f} % of the run, sorted by possible saving and confidence; `rankwise explain "
            "-v` shows all."
        ],
        [table_data(Table(columns, RULES, ""), Detail.BRIEF)],
    )


def _waiting(of: Subject) -> dict[str, Any]:
    waiting, messages = of.seen.waiting, of.seen.messages
    text = [
        "Blocking collectives: for a sample of calls, the arrival and departure of each member are kept. A "
        "rank waits until the last rank it depends on has arrived; the rest is transfer. The result is "
        "scaled to the exact time of all calls.",
        "Messages: for a sample of receives, waits and blocking sends, the start of both sides is kept. A "
        "rank waits until the other side has started.",
    ]
    if waiting and waiting.kept:
        text.append(
            f"In collectives of this run: {second_text(waiting.waiting.seconds)} summed over ranks, with an "
            f"error of {second_text(waiting.waiting.error_seconds)} from sampling (95 %) and from the clocks "
            "of the nodes."
        )
        text += waiting_notes(waiting)
    else:
        text.append(no_arrivals(of.seen.unknown))
    if messages.is_sampled:
        late = messages.late_sender_seconds + messages.late_receiver_seconds
        text.append(
            f"For messages of this run: {second_text(late)} summed over ranks, with an error of "
            f"{second_text(messages.error_seconds)}."
        )
        text.append(certainty_note(messages))
    else:
        text.append(NO_WAITS)
    return section("waiting", _GROUP, "How waiting is estimated", [*text, f"More: {_WAITING}."])
