"""The figures of the overview: the time by part, the efficiency, and the late ranks."""

from __future__ import annotations

from typing import Any

from rankwise.analysis.percent import percent
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.analysis.timing.parts import COMPUTE, FILES, TRANSFER, UNKNOWN, WAITING, Part
from rankwise.diagnosis.sentences import late_sentence, waiting_fields
from rankwise.findings.metrics import METRICS
from rankwise.render.page.contents.subject import Subject
from rankwise.text.empty import NOBODY_LATE, no_arrivals
from rankwise.text.hang import waited_title
from rankwise.text.safe import safe
from rankwise.text.summary import (
    efficiency_notes,
    efficiency_text,
    extremes,
    lateness_unknown_text,
    ranks_and_nodes,
    wall_text,
)
from rankwise.text.units import percent_text, second_text

_NO_TIME = "No rank had time between MPI_Init and MPI_Finalize."
_METRICS = {metric.name: metric for metric in METRICS}
_MEANINGS = {
    COMPUTE: ("compute, other", _METRICS["useful-time"].meaning),
    WAITING: (
        "waiting",
        "In MPI while another rank had not arrived yet: in collectives and for messages.",
    ),
    TRANSFER: ("transfer", "In MPI while no rank was late: the time of the library and the network."),
    FILES: ("MPI-IO", "In calls that open, read, write and close files."),
    UNKNOWN: (
        "in MPI, unclassified",
        "In MPI calls for which waiting is unknown.",
    ),
}
_IN_TITLE = {
    WAITING: "waiting for other ranks",
    TRANSFER: "transfer",
    FILES: "MPI-IO",
    UNKNOWN: "unclassified",
}


def time_part(of: Subject) -> dict[str, Any]:
    """Return the parts of the ranks' mean time."""
    summary, ranks = of.summary, of.seen.ranks
    times, run = summary.times, of.seen.seconds / len(ranks) if ranks else 0.0
    parts = of.diagnosis.parts
    known = [part for part in parts if part.percent_of_run > 0 or part.name == COMPUTE]
    title = f"MPI takes {percent_text(times.mpi_percent_of_run)} % of the run"
    most = max((part for part in parts if part.name != COMPUTE), key=lambda part: part.percent_of_run)
    if most.percent_of_run > 0:
        title += f", {'~' * most.is_estimate}{percent_text(most.percent_of_run)} % is {_IN_TITLE[most.name]}"
    return {
        "missing": ""
        if times.most_in_mpi and run > 0
        else "No rank had time between MPI_Init and MPI_Finalize.",
        "title": title,
        "wall": f"{wall_text(summary)}, {ranks_and_nodes(of.seen.run)}",
        "parts": [_part(part, run) for part in known],
        "apart": {
            "seconds": times.init_finalize_seconds,
            "time": second_text(times.init_finalize_seconds),
            "percent": percent(times.init_finalize_seconds, run),
        },
    }


def _part(part: Part, run: float) -> dict[str, Any]:
    label, meaning = _MEANINGS[part.name]
    seconds, estimated = part.percent_of_run / 100 * run, "~" * part.is_estimate
    error = part.error_percent_of_run
    off = f" The error is {percent_text(error)} % of the run." if part.is_estimate else ""
    return {
        "name": part.name,
        "label": label,
        "percent": part.percent_of_run,
        "seconds": seconds,
        "text": f"{estimated}{percent_text(part.percent_of_run)} %",
        "time": f"{estimated}{second_text(seconds)}",
        "meaning": meaning + off,
    }


def efficiency_part(of: Subject) -> dict[str, Any]:
    """Return the efficiency as a tree: each node is the product of the nodes below it."""
    efficiency = of.summary.efficiency
    if efficiency is None:
        return {"missing": _NO_TIME}
    if efficiency.ranks < 2:
        return {"missing": "Efficiency needs several ranks: this run has one."}
    return {
        "missing": "",
        "title": _efficiency_title(efficiency),
        "text": efficiency_text(efficiency),
        "notes": efficiency_notes(efficiency),
        "tree": _node(
            "parallel-efficiency",
            "parallel efficiency",
            efficiency.parallel,
            [
                _node("load-balance", "load balance", efficiency.load_balance),
                _node(
                    "communication-efficiency", "communication", efficiency.communication, _split(efficiency)
                ),
            ],
        ),
    }


def _split(efficiency: Efficiency) -> list[dict[str, Any]]:
    split = efficiency.split
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


def _efficiency_title(efficiency: Efficiency) -> str:
    factors = {"load balance": efficiency.load_balance, "communication": efficiency.communication}
    if efficiency.split:
        del factors["communication"]
        factors |= {"serialisation": efficiency.split.serialisation, "transfer": efficiency.split.transfer}
    least = min(factors, key=lambda name: factors[name])
    whole = f"Efficiency {efficiency.parallel:.2f}"
    return f"{whole}: {least} costs most" if factors[least] < 0.995 else f"{whole}: nothing is lost"


def late_part(of: Subject) -> dict[str, Any]:
    """Return the ranks for which others waited, and the spread of the time in MPI."""
    summary, late, time = of.summary, of.diagnosis.late, of.diagnosis.account.time
    missing, title = "", late_sentence(late)
    if unknown := lateness_unknown_text(time):
        missing = f"{unknown}."
    elif not late.is_known:
        missing = no_arrivals(of.diagnosis.account.waiting_unknown or of.seen.unknown)
    elif not late.most:
        missing = NOBODY_LATE
    if (
        summary.hang and summary.hang.lost_seconds > late.waiting_seconds
    ):  # the known waiting is small in comparison
        title = waited_title(summary.hang)
    return {
        "title": safe(title, "utf-8"),
        "missing": missing,
        "rows": [
            {
                "rank": rank.rank,
                "host": safe(rank.host or "?", "utf-8"),
                "seconds": rank.seconds,
                "time": second_text(rank.seconds),
                "share": rank.percent_of_waiting / 100,
                "text": f"{percent_text(rank.percent_of_waiting)} %",
            }
            for rank in late.most
        ],
        "spread": [safe(text, "utf-8") for text in extremes(of.summary.times)]
        if of.seen.run.ranks > 1
        else [],
        "waiting": [safe(text, "utf-8") for text in waiting_fields(of.diagnosis)],
    }
