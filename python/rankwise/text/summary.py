"""What a summary says of a run, line by line, each as phrases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.analysis.calls.families import Family
from rankwise.analysis.calls.files import FileTotals
from rankwise.analysis.collectives.inside_totals import InsideTotals
from rankwise.analysis.messages.locality import Locality
from rankwise.analysis.messages.world_order import WorldOrder
from rankwise.analysis.next_step import NextStep
from rankwise.analysis.overview import Run
from rankwise.analysis.summary import Summary
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.analysis.timing.time_in_mpi import TimeInMpi
from rankwise.analysis.timing.times import RankTime, Times
from rankwise.text.names import library_name, library_said, shown_path
from rankwise.text.units import byte_text, count_text, number_of, percent_text, second_text

_WORLD = "W"
"""The family of MPI_COMM_WORLD."""


def run_fields(run: Run, *, verbose: bool) -> list[str]:
    """Return what stands beside the command: ranks, nodes, job, date, library, how it ended."""
    return [
        ranks_and_nodes(run),
        f"world {run.world} of {run.worlds}" if run.worlds > 1 else "",
        f"job {run.job}" if run.job else "",
        run.started if verbose else run.started[:16].replace("T", " "),
        library_said(run.mpi_library) if verbose else library_name(run.mpi_library),
        kernels_text(run.kernels) if verbose else "",
        f"exit status {run.exit_status}" if run.exit_status else "",
    ]


def brief_fields(run_summary: Summary) -> list[str]:
    """Return what a reader needs first of a run: ranks, nodes, wall time, library, how it ended."""
    run, init_finalize = run_summary.run, second_text(run_summary.times.init_finalize_seconds)
    return [
        ranks_and_nodes(run),
        f"world {run.world} of {run.worlds}" if run.worlds > 1 else "",
        f"{wall_text(run_summary)} (Init, Finalize {init_finalize})",
        library_name(run.mpi_library),
        f"exit status {run.exit_status}" if run.exit_status else "",
    ]


def ranks_and_nodes(run: Run) -> str:
    """Return `16 ranks / 2 nodes`."""
    return number_of(run.ranks, "rank") + (f" / {number_of(run.nodes, 'node')}" if run.nodes else "")


def kernels_text(releases: Sequence[str]) -> str:
    """Return `Linux 6.1.0-18-amd64`; '' = not known."""
    return f"Linux {', '.join(releases)}" if releases else ""


def wall_text(summary: Summary) -> str:
    """Return how long the run was."""
    times = summary.times
    # Without the end of the ranks, the time after their last calls is unknown.
    known = summary.trust.complete or times.ends_known
    return f"{'wall' if known else 'to the last call'} {second_text(times.wall_seconds)}"


def efficiency_text(efficiency: Efficiency) -> str:
    """Return the efficiency and its factors; estimates are marked with ~."""
    parts = [f"load balance {efficiency.load_balance:.2f}"]
    if efficiency.split:
        parts += [
            f"serialisation ~{efficiency.split.serialisation:.2f}",
            f"transfer ~{efficiency.split.transfer:.2f}",
        ]
    else:
        parts.append(f"communication {efficiency.communication:.2f}")
    return f"efficiency {efficiency.parallel:.2f} = {' x '.join(parts)}"


def efficiency_notes(efficiency: Efficiency) -> list[str]:
    """Return the error of estimated factors, or why there are none."""
    split = efficiency.split
    if split is None:
        return (
            [f"Serialisation and transfer are unclassified: {efficiency.why_no_split}."]
            if efficiency.why_no_split
            else []
        )
    return [
        f"Serialisation is between {split.serialisation_low:.2f} and {split.serialisation_high:.2f},"
        f" transfer between {split.transfer_low:.2f} and {split.transfer_high:.2f}."
    ]


def extremes(times: Times) -> list[str]:
    """Return the ranks with the most and the least time in MPI."""
    if times.most_in_mpi is None or times.least_in_mpi is None:
        return ["no rank's counters could be read"]
    return [f"most {_rank(times.most_in_mpi)}", f"least {_rank(times.least_in_mpi)}"]


def unknown_text(time: TimeInMpi) -> str:
    """Return how much of the time in MPI could not be classified; '' = little."""
    if not time.is_much_unknown:
        return ""
    share = percent_text(time.percent_unknown)
    return f"{share} % of the time in MPI is unclassified"


def lateness_unknown_text(time: TimeInMpi) -> str:
    """Say why the late ranks are unknown; '' = they are known."""
    if not time.is_mostly_unknown:
        return ""
    return unknown_text(time) or "Most of the time in MPI is in calls that never returned"


def whole_text(time: TimeInMpi) -> str:
    """Return the base of shares of waiting: all waiting, or the known part."""
    return "the waiting that is known" if time.is_much_unknown else "all waiting"


def off_node_text(locality: Locality) -> str:
    """Return how much of the bytes leaves the nodes."""
    total = locality.bytes_on_node + locality.bytes_off_node + locality.bytes_unplaced
    if not locality.messages:
        return "unknown: the program itself sends no messages"
    share = percent_text(locality.off_node_percent_of_message_bytes)
    kinds = " and ".join(locality.kinds)
    unplaced = f"; {byte_text(locality.bytes_unplaced)} to unknown places" if locality.bytes_unplaced else ""
    return f"{share} % of the {byte_text(total)} of {kinds} bytes{unplaced}"


def inside_text(totals: InsideTotals, nodes: int) -> str:
    """Return the traffic inside collectives in short; --by collective shows it in full."""
    if not totals.messages:
        return f"collectives: {totals.why}"
    inside = f"{count_text(totals.messages)} messages inside collectives, {byte_text(totals.bytes)}"
    share = f"{percent_text(totals.off_node_percent_of_bytes)} % off node" if nodes > 1 else ""
    silent = f"{totals.not_visible} of {totals.collectives} not visible" if totals.not_visible else ""
    partly = f"{totals.visible_in_part} in part" if totals.visible_in_part else ""
    return ", ".join(filter(None, (inside, share, silent, partly)))


def file_fields(totals: FileTotals) -> list[str]:
    """Return what MPI-IO moved."""
    moved = f"{byte_text(totals.bytes_read)} read, {byte_text(totals.bytes_written)} written"
    number = f"{count_text(totals.files)} file{'s' * (totals.files != 1)}"
    return [moved, number, f"{second_text(totals.seconds)} summed over ranks"]


def reordered_fields(families: Sequence[Family], order: WorldOrder | None, nodes: int) -> list[str]:
    """Return the communicators in a new order, if any, and what the order has changed, if known.

    Args:
        families: of the run.
        order: of MPI_COMM_WORLD.
        nodes: of the run.
    """
    done = [family for family in families if family.reordered]
    if not any(family.name == _WORLD for family in done):
        asked = sum(family.reorder for family in families)
        allowed = f"{count_text(len(done))} of {count_text(asked)} communicators that allow it"
        return [f"{allowed}, to suit the machine"] if done else []
    fields = ["MPI_COMM_WORLD, in MPI_Init (--place or --with)"]
    if order is None:
        return fields
    fields.append(f"{count_text(order.moved)} of {number_of(order.ranks, 'rank')} moved")
    if nodes > 1 and order.bytes_off_node is not None and order.bytes_off_node_as_launched is not None:
        fields.append(
            f"off node {byte_text(order.bytes_off_node)}, in the launcher's order"
            f" {byte_text(order.bytes_off_node_as_launched)} (calculated)"
        )
    return fields


def _rank(time: RankTime) -> str:
    return f"rank {time.rank} ({time.host}) {second_text(time.seconds)}"


def step_command(step: NextStep, path: Path) -> str:
    """Return what to type for a step, of the profile at `path`."""
    return " ".join(["rankwise", step.verb, shown_path(path), *step.options])
