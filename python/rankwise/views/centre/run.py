"""A run: facts, findings, hosts and calls."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rankwise.centre.details import Details
from rankwise.text.units import number_of, percent_text, ratio_text, second_text
from rankwise.views.centre.common import COMMAND, HOURS, Row, count, explain_command, hours_text, plain, share
from rankwise.views.view import BYTES, NAME, NUMBER, PERCENT, SECONDS, TEXT, WORD, Column, Table, View, label

_MOST_HOSTS = 40
_MOST_CALLS = 15
_WITH_COMMAND = ("run", "tune")
"""Verbs that start the program again."""


def view(found: Details) -> View:
    """Return the tables of a run, and its verdict."""
    run = found.run
    return View(
        (run["verdict"] or "").rstrip("."),
        [_findings(found), _hosts(found), _calls(found)],
        {},
    )


def name(run: Row) -> str:
    """Return what to call a run."""
    return f"Job {run['job']}: {run['program']}" if run["job"] else f"A run of {run['program']}"


def facts(run: Row) -> Iterator[tuple[str, str]]:
    """Give the facts about a run that are known, by their names."""
    words = " ".join(filter(None, (run["program"], run["arguments"])))
    yield "program", words
    yield "started", f"{run['started']:%Y-%m-%d %H:%M} UTC"
    yield "ran for", second_text(run["wall_seconds"])
    yield "ranks", f"{run['ranks']} on {number_of(run['nodes'], 'node')}"
    saved = run["waste_node_hours"]
    lost = f"; {hours_text(saved)} could be saved ({run['waste']})" if saved else ""
    yield "node hours", f"{hours_text(run['node_hours'])}{lost}"
    yield "MPI", run["mpi_library"]
    if run["kernel"]:
        yield "kernel", f"Linux {run['kernel']}"
    if run["run_seconds"]:
        shares = [f"{percent_text(100 * run['mpi_seconds'] / run['run_seconds'])} % of the time in MPI"]
        if run["waiting_seconds"] is not None:
            waiting = percent_text(100 * run["waiting_seconds"] / run["run_seconds"])
            shares.append(f"{waiting} % waiting")
        yield "time", ", ".join(shares)
    if run["parallel_efficiency"] is not None:
        balance = run["load_balance"]
        with_balance = f", load balance {ratio_text(balance)}" if balance is not None else ""
        yield "parallel efficiency", f"{ratio_text(run['parallel_efficiency'])}{with_balance}"
    if not run["complete"]:
        status = f" (exit status {run['exit_status']})" if run["exit_status"] else ""
        yield "end", f"not all ranks reached MPI_Finalize{status}"
    for key, said in (
        ("launcher", "launcher"),
        ("cluster", "cluster"),
        ("account", "account"),
        ("job_partition", "partition"),
        ("job_state", "state"),
        ("directory", "directory"),
    ):
        if run[key]:
            yield said, run[key]


def report_command(run: Row) -> str | None:
    """Return the command that writes the report of a run; None = its profile is not known."""
    command = explain_command(run)
    return command.replace("rankwise explain", "rankwise report", 1) if command else None


def finding_command(run: Row, finding: Row) -> str | None:
    """Return the command that helps with a finding; None = it, or the profile, is not known."""
    words, profile = finding["command"], run["profile"]
    if not words or not words.isprintable() or not profile or not profile.isprintable():
        return None
    verb = words.split()[0]
    of_profile = "" if verb == "run" else f" {shlex.quote(profile)}"
    return f"rankwise {words}{of_profile}{' -- COMMAND' if verb in _WITH_COMMAND else ''}"


def _findings(found: Details) -> Table:
    columns: list[Column[Row]] = [
        label("finding", lambda row: row["title"] or row["rule"], "the problem", kind=TEXT),
        plain("waste", lambda row: row["waste"], WORD, "its kind"),
        Column(
            "saving",
            lambda row: "up to" if row["upper_bound"] else "about",
            WORD,
            "up to: the most possible; about: an estimate",
        ),
        plain("node hours", lambda row: row["saved_node_hours"], HOURS, "that could be saved"),
        share("%", lambda row: row["saved_percent"], "of the run"),
        plain("confidence", lambda row: row["confidence"], WORD, "in the finding"),
        plain("next", lambda row: finding_command(found.run, row), COMMAND, "command that helps"),
    ]
    return Table(columns, found.findings, "Nothing that has a cure was found.", title="Findings")


def _hosts(found: Details) -> Table:
    columns: list[Column[Row]] = [
        label("host", lambda row: row["host"], "its name"),
        plain("ranks", lambda row: row["host_ranks"], NUMBER, "number on it"),
        plain("outside MPI", lambda row: row["outside_seconds"], SECONDS, "mean of its ranks"),
        plain("in MPI", lambda row: row["host_mpi_seconds"], SECONDS, "mean of its ranks"),
        Column(
            "slower, %",
            lambda row: row["slower_percent"],
            PERCENT,
            "its ranks outside MPI against the median of the other hosts",
        ),
        plain(
            "waiting caused", lambda row: row["caused_seconds"], SECONDS, "by its late ranks, of all ranks"
        ),
    ]
    shown = found.hosts[:_MOST_HOSTS]
    more = len(found.hosts) - len(shown)
    return Table(
        columns,
        shown,
        "No host is known.",
        title="Hosts",
        notes=[f"{more} more hosts caused less waiting."] if more else [],
    )


def _calls(found: Details) -> Table:
    columns: list[Column[Row]] = [
        label("call", lambda row: row["procedure"], "MPI procedure"),
        plain("communicators", lambda row: row["family"], NAME, "family"),
        count("calls", "of all ranks"),
        plain("sent", lambda row: row["bytes_sent"], BYTES, "of all ranks"),
        plain("time", lambda row: row["seconds"], SECONDS, "of all ranks"),
    ]
    return Table(columns, found.calls[:_MOST_CALLS], "No call was recorded.", title="Most expensive calls")
