"""The figures of the overview: where the time went, the efficiency, and who was late."""

from __future__ import annotations

from typing import Any

from rankwise.analysis.percent import percent
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.analysis.waiting.blamed import blamed_ranks
from rankwise.findings.late import is_known
from rankwise.findings.metrics import METRICS
from rankwise.render.page.contents.subject import Subject
from rankwise.text.empty import NOBODY_LATE, no_arrivals
from rankwise.text.hang import waited_title
from rankwise.text.late import most_waiting
from rankwise.text.safe import safe
from rankwise.text.summary import (
    efficiency_notes,
    efficiency_text,
    extremes,
    ranks_and_nodes,
    unknown_text,
    waiting_fields,
    wall_text,
)
from rankwise.text.units import percent_text, second_text

_MOST_LATE = 3
_NO_TIME = "No rank had time between MPI_Init and MPI_Finalize."
_METRICS = {one.name: one for one in METRICS}


def time_part(of: Subject) -> dict[str, Any]:
    """Return what the time of the ranks was spent with, the mean of them."""
    found, time = of.summary, of.seen.time_in_mpi
    times, ranks = found.times, of.seen.ranks
    run = of.seen.seconds / len(ranks) if ranks else 0.0
    share_in_mpi = times.mpi_percent_of_run / 100
    parts = [
        ("compute", "compute, other", times.rest_percent_of_run, False, _METRICS["useful-time"].meaning),
        *(
            (name, label, percent(seconds, time.seconds) * share_in_mpi, is_estimate, meaning)
            for name, label, seconds, is_estimate, meaning in (
                (
                    "waiting",
                    "waiting",
                    time.waiting_seconds,
                    time.is_estimate,
                    "In MPI while another rank that was needed had not come yet: in blocking collectives,"
                    " and for messages.",
                ),
                (
                    "transfer",
                    "transfer",
                    time.moving_seconds,
                    time.is_estimate,
                    "In MPI although nobody was late: what the library and the network take.",
                ),
                (
                    "files",
                    "MPI-IO",
                    time.files_seconds,
                    False,
                    "In calls that open, read, write and close files.",
                ),
                (
                    "unknown",
                    "in MPI, not told apart",
                    time.unknown_seconds,
                    False,
                    "In calls of MPI of which it is not known whether they waited for another rank.",
                ),
            )
        ),
    ]
    known = [part for part in parts if part[2] > 0 or part[0] == "compute"]
    title = f"MPI takes {percent_text(times.mpi_percent_of_run)} % of the run"
    most = max((part for part in parts[1:]), key=lambda part: part[2])
    if most[2] > 0:
        title += f", {'~' * most[3]}{percent_text(most[2])} % is {_in_title(most[0])}"
    return {
        "missing": ""
        if times.most_in_mpi and run > 0
        else "No rank had time between MPI_Init and MPI_Finalize.",
        "title": title,
        "wall": f"{wall_text(found)}, {ranks_and_nodes(of.seen.run)}",
        "parts": [
            {
                "name": name,
                "label": label,
                "percent": share,
                "seconds": share / 100 * run,
                "text": f"{'~' * is_estimate}{percent_text(share)} %",
                "time": f"{'~' * is_estimate}{second_text(share / 100 * run)}",
                "meaning": meaning,
            }
            for name, label, share, is_estimate, meaning in known
        ],
        "apart": {
            "seconds": times.init_finalize_seconds,
            "time": second_text(times.init_finalize_seconds),
            "percent": percent(times.init_finalize_seconds, run),
        },
    }


def _in_title(name: str) -> str:
    return {
        "waiting": "waiting for other ranks",
        "transfer": "transfer",
        "files": "MPI-IO",
        "unknown": "not told apart",
    }[name]


def efficiency_part(of: Subject) -> dict[str, Any]:
    """Return the efficiency as a tree: each node is the product of those below it."""
    found = of.summary.efficiency
    if found is None:
        return {"missing": _NO_TIME}
    if found.ranks < 2:
        return {"missing": "Efficiency needs several ranks: this run has one."}
    return {
        "missing": "",
        "title": _efficiency_title(found),
        "text": efficiency_text(found),
        "notes": efficiency_notes(found),
        "tree": _node(
            "parallel-efficiency",
            "parallel efficiency",
            found.parallel,
            [
                _node("load-balance", "load balance", found.load_balance),
                _node("communication-efficiency", "communication", found.communication, _split(found)),
            ],
        ),
    }


def _split(found: Efficiency) -> list[dict[str, Any]]:
    split = found.split
    if split is None:
        return []
    return [
        _node(
            "serialisation",
            "serialisation",
            split.serialisation,
            between=(split.serialisation_low, split.serialisation_high),
        ),
        _node("transfer", "transfer", split.transfer, between=(split.transfer_low, split.transfer_high)),
    ]


def _node(
    metric: str,
    label: str,
    value: float,
    below: list[dict[str, Any]] | None = None,
    between: tuple[float, float] | None = None,
) -> dict[str, Any]:
    of = _METRICS[metric]
    return {
        "metric": metric,
        "label": label,
        "value": value,
        "text": f"{'~' * bool(between)}{value:.2f}",
        "between": list(between) if between else None,
        "meaning": of.meaning,
        "formula": of.formula,
        "source": of.source,
        "below": below or [],
    }


def _efficiency_title(found: Efficiency) -> str:
    factors = {"load balance": found.load_balance, "communication": found.communication}
    if found.split:
        del factors["communication"]
        factors |= {"serialisation": found.split.serialisation, "transfer": found.split.transfer}
    least = min(factors, key=lambda name: factors[name])
    whole = f"Efficiency {found.parallel:.2f}"
    return f"{whole}: {least} costs most" if factors[least] < 0.995 else f"{whole}: nothing is lost"


def late_part(of: Subject) -> dict[str, Any]:
    """Return for whom the others waited, and how the time in MPI is spread."""
    found, time = of.summary, of.seen.time_in_mpi
    hosts = {one.rank: one.host for one in of.seen.ranks}
    blamed = blamed_ranks(of.seen.waiting, of.seen.messages)
    everything = sum(one.seconds for one in blamed)
    rows = [one for one in blamed if one.seconds > 0 and not time.is_mostly_unknown][:_MOST_LATE]
    missing = ""
    if not is_known(of.seen):
        missing = no_arrivals(of.seen.unknown)
    elif time.is_mostly_unknown:
        missing = f"{unknown_text(time)}."
    elif not rows:
        missing = NOBODY_LATE
    is_unknown = time.is_mostly_unknown or not is_known(of.seen)
    title = "Who was late is not known" if is_unknown else "Nobody was late"
    if rows:
        text = most_waiting(of.seen.late)
        title = (
            text[:1].upper() + text[1:] if text else "No rank stands out among those that others waited for"
        )
    if found.hang and found.hang.lost_seconds > everything:  # what is known of is next to nothing
        title = waited_title(found.hang)
    return {
        "title": safe(title, "utf-8"),
        "missing": missing,
        "rows": [
            {
                "rank": one.rank,
                "host": safe(hosts.get(one.rank, "?"), "utf-8"),
                "seconds": one.seconds,
                "time": second_text(one.seconds),
                "share": percent(one.seconds, everything) / 100,
                "text": f"{percent_text(percent(one.seconds, everything))} %",
            }
            for one in rows
        ],
        "spread": [safe(text, "utf-8") for text in extremes(found.times)] if of.seen.run.ranks > 1 else [],
        "waiting": [safe(text, "utf-8") for text in waiting_fields(found)],
    }
