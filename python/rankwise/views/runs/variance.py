"""What goes with the run time of repeated runs, as a view."""

from __future__ import annotations

from collections.abc import Callable

from rankwise.runs.variance import (
    CALL,
    CALL_ON,
    COMMUNICATOR,
    ENDS,
    HOST,
    NETWORK,
    NO_PROCESSOR,
    OUTSIDE,
    PROCESSORS,
    RANK,
    REGION,
    Relation,
    RunTime,
    SlowHost,
    Variance,
)
from rankwise.text.names import call_name, quoted_name
from rankwise.text.units import number_of, second_text
from rankwise.views.view import (
    FIGURES,
    NAME,
    NUMBER,
    PERCENT,
    SECONDS,
    TEXT,
    WORD,
    Column,
    Detail,
    Format,
    Table,
    View,
    label,
)

_HOSTS_NAMED = 3
_SOME_SLOW = 3  # hosts in the title
_LEAST_CHANCE = 0.001


def _correlation(value: float) -> str:
    """Return a correlation with two digits; of nearly perfect ones so many that they don't become 1."""
    text = f"{value + 0.0:.2f}"
    return f"{max(min(value, 0.999), -0.999):.3f}" if abs(float(text)) == 1 and abs(value) < 1 else text


_CORRELATION = Format("ratio", _correlation, right=True)
_CHANCE = Format(
    "chance", lambda value: f"<{_LEAST_CHANCE}" if value < _LEAST_CHANCE else f"{value:.3f}", right=True
)


def view(variance: Variance) -> View:
    """Return the verdict, what goes with the run time, slow hosts, and the runs."""
    sure = [one for one in variance.relations if one.is_sure]
    none = "No candidate correlates with the run time beyond chance; -v shows them all."
    nothing = "No time and no counter differs between the runs."
    notes = [f"{method_line(variance)}."]
    return View(
        title(variance),
        [
            Table(
                _relations(variance),
                sure,
                none,
                title="What goes with the run time",
                notes=notes,
                detail=Detail.BRIEF,
            ),
            Table(
                _relations(variance),
                variance.relations,
                nothing,
                title="All candidates",
                notes=notes,
                detail=Detail.VERBOSE,
            ),
            *([_slow_hosts(variance)] if variance.slow_hosts else []),
            Table(
                _runs(variance),
                sorted(range(len(variance.runs)), key=lambda index: -variance.runs[index].wall_seconds),
                "No run is left.",
                title="Runs, slowest first",
            ),
        ],
        {
            "relations": variance.relations,
            "runs": variance.runs,
            "slow_hosts": variance.slow_hosts,
            "configuration": variance.chosen.configuration,
            "spread_seconds": variance.spread_seconds,
            "main": variance.main,
            "rivals": variance.rivals,
            "least_runs": variance.least_runs,
            "others": variance.chosen.others,
            "partial": [str(run.path) for run in variance.chosen.partial],
        },
    )


def title(variance: Variance) -> str:
    """Return what the run time goes with, in numbers, without a full stop."""
    main = variance.main
    hosts = _slow_hosts_text(variance)
    if main is None:
        return f"{_no_relation(variance)}{hosts}"
    also = [f"{relation_name(one)} ({_CORRELATION.text(one.correlation)})" for one in variance.others]
    rest = f"; so {'does' if len(also) == 1 else 'do'} {', '.join(also)}" if also else ""
    explained, spread = (second_text(value) for value in (main.explained_seconds, variance.spread_seconds))
    return (
        f"Run time goes with {relation_name(main)}: rank correlation {correlation_text(main)}, of "
        f"{number_of(len(variance.relations), 'candidate')}; it explains {explained} of the {spread} between "
        f"fastest and slowest{_rivals_text(variance)}{rest}{hosts}"
    )


def _rivals_text(variance: Variance) -> str:
    """Return what explains about as much: the first candidate may not be the only one."""
    if not variance.rivals:
        return ""
    first, *more = variance.rivals
    others = f", and so {'does 1 other' if len(more) == 1 else f'do {len(more)} others'}" if more else ""
    return f"; {relation_name(first)} explains about as much, {second_text(first.explained_seconds)}{others}"


def relation_name(one: Relation) -> str:
    """Return the name of a candidate in a sentence."""
    communicator = quoted_name(one.communicator, one.user_name)
    names = {
        CALL_ON: f"the time in {call_name(one.name)} on {communicator}",
        COMMUNICATOR: f"the time in {communicator}",
        CALL: f"the time in {call_name(one.name)}",
        REGION: f"the time in region {one.name}",
        RANK: f"the time outside MPI of rank {one.name}",
        HOST: f"the time outside MPI on host {one.name}",
        OUTSIDE: "the time outside MPI",
        ENDS: "the time in MPI_Init and MPI_Finalize",
        NO_PROCESSOR: "the time without a processor",
        PROCESSORS: _PROCESSORS.get(one.name, one.name),
        NETWORK: one.name,
    }
    return names[one.kind]


_PROCESSORS = {
    "frequency, GHz": "the frequency of the processors",
}


def method_line(variance: Variance) -> str:
    """Return how chance was excluded."""
    return (
        "Goes with is no cause. Spearman's rank correlation with its confidence interval of 95 %; chance by "
        f"permutation, corrected for {number_of(len(variance.relations), 'candidate')} (Holm)"
    )


def _no_relation(variance: Variance) -> str:
    runs = len(variance.runs)
    if not variance.is_known:
        return (
            f"Too few runs to tell: {runs}, and at least {variance.least_runs} are needed for "
            f"{number_of(len(variance.relations), 'candidate')}"
        )
    if not variance.spread_seconds:
        return "All runs take the same time"
    return (
        f"Nothing recorded goes with the run time: {number_of(runs, 'run')}, "
        f"{number_of(len(variance.relations), 'candidate')}, {second_text(variance.spread_seconds)} between "
        "fastest and slowest"
    )


def _slow_hosts_text(variance: Variance) -> str:
    hosts = variance.slow_hosts
    if not hosts:
        return ""
    names = ", ".join(host.host for host in hosts[:_SOME_SLOW])
    more = f" and {len(hosts) - _SOME_SLOW} more" if len(hosts) > _SOME_SLOW else ""
    return f"; slower than other hosts in most runs: {names}{more}"


def correlation_text(one: Relation) -> str:
    """Return the rank correlation with its confidence interval."""
    text = _CORRELATION.text(one.correlation)
    return text if one.low is None else f"{text} ({_interval(one)})"


def _interval(one: Relation) -> str | None:
    if one.low is None or one.high is None:
        return None
    return f"{_CORRELATION.text(one.low)} to {_CORRELATION.text(one.high)}"


def short_name(one: Relation) -> str:
    """Return the name of a candidate in tables."""
    if one.kind == CALL_ON:
        return f"{call_name(one.name)} on {quoted_name(one.communicator, one.user_name)}"
    if one.kind == COMMUNICATOR:
        return quoted_name(one.communicator, one.user_name)
    if one.kind in (RANK, HOST):
        return f"{one.kind} {one.name}"
    return call_name(one.name) or one.kind


def _relations(variance: Variance) -> list[Column[Relation]]:
    def share(one: Relation) -> float:
        return 100 * one.explained_seconds / variance.spread_seconds

    return [
        label("candidate", short_name, "that was recorded"),
        label("kind", lambda one: _KINDS.get(one.kind, one.kind), "of it", kind=WORD, choice=True),
        Column("correlation", lambda one: one.correlation, _CORRELATION, "rank correlation", obvious=True),
        Column("95 %", _interval, FIGURES, "confidence interval", obvious=True),
        Column("chance", lambda one: one.chance, _CHANCE, "of such a correlation by chance", obvious=True),
        Column(
            "explains",
            lambda one: one.explained_seconds,
            SECONDS,
            "part of the difference between the fastest and the slowest run that goes with it",
        ),
        Column("%", share, PERCENT, "the same in percent of the difference"),
    ]


_KINDS = {
    CALL_ON: "call",
    COMMUNICATOR: "communicator",
    RANK: OUTSIDE,
    HOST: OUTSIDE,
    NO_PROCESSOR: PROCESSORS,
}


def _slow_hosts(variance: Variance) -> Table:
    columns: list[Column[SlowHost]] = [
        label("host", lambda row: row.host, "name"),
        Column("slower", lambda row: f"{row.slow_runs} of {row.runs}", FIGURES, "runs", obvious=True),
        Column(
            "by %",
            lambda row: row.percent,
            PERCENT,
            "more time outside MPI than the median of the other hosts",
        ),
        Column("chance", lambda row: row.chance, _CHANCE, "by the sign test, corrected (Holm)"),
    ]
    notes = []
    if any(row.has_same_ranks for row in variance.slow_hosts):
        notes.append("A host had the same ranks in all runs: its ranks may have more work.")
    return Table(
        columns,
        variance.slow_hosts,
        "",
        title="Slow hosts",
        notes=notes,
    )


def _runs(variance: Variance) -> list[Column[int]]:
    def of(value: Callable[[RunTime], str | float]) -> Callable[[int], str | float]:
        return lambda index: value(variance.runs[index])

    columns: list[Column[int]] = [
        label("started", of(lambda run: run.started[:16].replace("T", " ")), "UTC", kind=WORD),
        Column("wall", of(lambda run: run.wall_seconds), SECONDS, "of the longest rank", obvious=True),
        Column("% MPI", of(lambda run: run.mpi_percent), PERCENT, "MPI, % of run", obvious=True),
    ]
    if variance.main:
        main, kind = variance.main, SECONDS if variance.main.is_time else NUMBER
        columns.append(
            Column(
                short_name(main),
                lambda index: main.values[index],
                kind,
                "what goes with the run time",
                obvious=True,
            )
        )
    return [
        *columns,
        Column("hosts", of(lambda run: _hosts(run.hosts)), TEXT, "of the ranks", obvious=True),
        Column(
            "profile",
            of(lambda run: run.profile),
            NAME,
            "file",
            obvious=True,
            detail=Detail.VERBOSE,
            file=lambda index: variance.runs[index].profile,
        ),
    ]


def _hosts(hosts: list[str]) -> str:
    more = len(hosts) - _HOSTS_NAMED
    return ", ".join(hosts[:_HOSTS_NAMED]) + (f" and {more} more" if more > 0 else "")
