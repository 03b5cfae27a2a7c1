"""The page Appendix: definitions, environment, coverage, and all tables that no other page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rankwise.analysis.calls.procedures import ProcedureRow
from rankwise.render.page.contents.definitions import definition_sections
from rankwise.render.page.contents.packed_tables import table_data
from rankwise.render.page.contents.sections import section
from rankwise.render.page.contents.subject import Subject
from rankwise.text.counters import counter_fields
from rankwise.text.empty import NO_CALLS
from rankwise.text.names import call_name, library_name, library_said, program_text, run_command
from rankwise.text.summary import kernels_text, ranks_and_nodes, reordered_fields
from rankwise.text.trust import cost_line, coverage_fields, memory_line, partial_line, warnings
from rankwise.text.units import number_of, second_text
from rankwise.version import __version__
from rankwise.views.by import view
from rankwise.views.totals_columns import PER_CALL
from rankwise.views.view import COUNT, NUMBER, SECONDS, TEXT, Column, Detail, Table, label, number

_TITLES = {
    "region": "Regions",
    "counter": "System counters",
    "file": "Files",
    "collective": "Collectives, and the messages inside them",
    "algorithm": "Algorithms of collectives",
    "library": "Libraries that call MPI",
}
"""Views that no other page shows."""
_MOST_ROWS = 1000
_MOST_HOSTS = 16

_FACTS: list[Column[tuple[str, str]]] = [
    label("what", lambda row: row[0], "", kind=TEXT),
    label("value", lambda row: row[1], "", kind=TEXT),
]
_OPENING: list[Column[ProcedureRow]] = [
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    number("calls", lambda row: row.totals.calls, COUNT, "summed over ranks", obvious=True),
    number("time (sum)", lambda row: row.totals.seconds, SECONDS, "summed over ranks"),
    PER_CALL,
    Column("longest", lambda row: row.call_seconds_max, SECONDS, "of a single call"),
]
_CALLED: list[Column[ProcedureRow]] = [
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    label("class", lambda row: row.procedure_class, "of procedures", kind=TEXT),
    number("calls", lambda row: row.totals.calls, COUNT, "summed over ranks", obvious=True),
    Column("ranks", lambda row: row.ranks, NUMBER, "that called it", obvious=True),
]


def appendix_data(of: Subject) -> dict[str, Any]:
    """Return the sections of the appendix, as web/src/appendix/contract.ts declares them."""
    return {
        "missing": "",
        "sections": [
            *definition_sections(of),
            _environment(of),
            _coverage(of),
            _own_cost(of),
            _opening(of),
            *(_view(of, name) for name in _TITLES),
            _cite(of),
        ],
    }


def _environment(of: Subject) -> dict[str, Any]:
    run, summary = of.seen.run, of.summary
    hosts = of.axes.hosts
    variables = [
        (variable, f"{value} (on {number_of(ranks, 'rank')})")
        for variable, value, ranks in of.connection.execute(
            "SELECT variable, value, COUNT(*) FROM rail_choices GROUP BY variable, value ORDER BY variable"
        )
    ]
    facts = [
        ("command", run_command(run)),
        *(("program", program_text([words])) for words in run.programs),
        ("executable", run.executable),
        ("directory", run.directory),
        ("launcher", run.launcher or "none: started directly"),
        ("job", run.job),
        ("world", f"{run.world} of {run.worlds}" if run.worlds > 1 else ""),
        ("ranks", ranks_and_nodes(run)),
        ("hosts", ", ".join(hosts[:_MOST_HOSTS]) + (" ..." if len(hosts) > _MOST_HOSTS else "")),
        ("MPI library", library_said(run.mpi_library)),
        ("kernel", kernels_text(run.kernels)),
        ("ABI", run.mpi_abi),
        ("thread level", run.thread_level),
        ("started", run.started),
        ("stopped", run.stopped),
        ("exit status", "not known" if run.exit_status is None else str(run.exit_status)),
        ("processors", ", ".join(_processors(of))),
        ("reordered", "; ".join(reordered_fields(summary.families, summary.world_order, run.nodes))),
        ("system", ", ".join(counter_fields(summary.counters, summary.shortages))),
        ("recorded by Rankwise", run.rankwise_version),
        ("written by Rankwise", __version__),
        ("profile", str(of.path)),
        *variables,
    ]
    text = [] if variables else ["No variables that choose network adapters are known."]
    return section("environment", "This run", "Environment", text, [_facts(facts)])


def _processors(of: Subject) -> list[str]:
    """Return the sets of processors that ranks may use, the most frequent first."""
    counts = Counter(rank.cpus_allowed for rank in of.seen.ranks if rank.cpus_allowed)
    shown = [f"{cpus} ({number_of(ranks, 'rank')})" for cpus, ranks in counts.most_common(_MOST_HOSTS)]
    return [*shown, "..."] if len(counts) > _MOST_HOSTS else shown


def _coverage(of: Subject) -> dict[str, Any]:
    summary = of.summary
    trust = summary.trust
    called = sorted([*summary.calls, *summary.opening_and_closing], key=lambda row: row.procedure)
    text = [
        "Complete: every rank finished MPI_Finalize." if trust.complete else partial_line(trust),
        f"{', '.join(coverage_fields(trust, verbose=True))}.",
        f"{len(called)} procedures of MPI were called. "
        "docs/reference/coverage.md says of each one what is recorded.",
        *(f"Warning: {text}." for text in warnings(trust)),
    ]
    return section(
        "coverage",
        "This run",
        "Coverage: procedures called, not covered, and dropped records",
        text,
        [table_data(Table(_CALLED, called, NO_CALLS), Detail.BRIEF, _MOST_ROWS)],
    )


def _own_cost(of: Subject) -> dict[str, Any]:
    trust = of.summary.trust
    text = [
        f"Rankwise's {cost_line(trust)}.",
        "The cost of a call is the mean measured during this run; set-up is processor time in MPI_Init and "
        "MPI_Finalize. The time of calls excludes it, wall time includes it.",
        memory_line(trust),
    ]
    return section("own-cost", "This run", "Cost of recording", text)


def _opening(of: Subject) -> dict[str, Any]:
    share = second_text(of.summary.times.init_finalize_seconds)
    rows = of.summary.opening_and_closing
    return section(
        "opening",
        "This run",
        "MPI_Init and MPI_Finalize",
        [f"{share} per rank on average: not included in sums and shares of the other calls."],
        [table_data(Table(_OPENING, rows, NO_CALLS), Detail.BRIEF)],
    )


def _view(of: Subject, name: str) -> dict[str, Any]:
    made = view(name, of.connection, Detail.BRIEF)
    title = _TITLES[name] + (f": {made.title}" if made.title else "")
    tables = [
        table_data(table, Detail.BRIEF, _MOST_ROWS) for table in made.tables if table.detail & Detail.BRIEF
    ]
    return section(f"by-{name}", "All tables", title, [f"As shown by `rankwise show --by {name}`."], tables)


def _cite(of: Subject) -> dict[str, Any]:
    version = of.seen.run.rankwise_version
    library = library_name(of.seen.run.mpi_library)
    return section(
        "cite",
        "This run",
        "How to cite",
        [
            f"Rankwise {version}, a profiler of MPI communication. State its version, the MPI library "
            f"({library}) and the numbers of ranks and nodes, and keep the profile with your data.",
            "Efficiency: POP Standard Metrics for Parallel Performance Analysis, https://pop-coe.eu/node/69.",
        ],
        [],
    )


def _facts(facts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return table_data(Table(_FACTS, [fact for fact in facts if fact[1]], ""), Detail.BRIEF)
