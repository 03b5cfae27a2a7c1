"""The rows of the overhead table and their aims."""

from __future__ import annotations

from common.rows import READS, Row, batches, call, extra_row, memory, whole_job, worst

CALL_ROWS: tuple[Row, ...] = (
    batches(READS),
    batches("Comm_rank", 0.0, 0, 0, slack=2.0),
    call("Iprobe", 1, 67, 93),
    call("Test", 1, 82, 94),
    call("Allreduce", 1, 80, 104),
    call("Barrier", 1, 83, 93),
    call("Bcast", 1, 123, 137),
    batches("Irecv+Isend+Waitall", 130.0, 317, 375),
    batches("Irecv+Isend+Waitall, ignored", 130.0, 317, 375),
    call("Sendrecv", 1, 109, 108),
    call("Send to PROC_NULL", 1, 114, 113),
    call("Start+Wait", 2),
    call("Startall+Waitall", 2),
    call("Startall+Waitall, ignored", 2),
    call("Put+Win_flush", 2),
    batches("Pcontrol, a region", 300.0),
    batches("Comm_dup+Comm_free", 0.5, 0.9, unit="us"),
    batches("Comm_dup+Comm_free, beyond 65,536", 0.5, unit="us"),
    memory("resident after the calls", "calls", "rss_kb", openmpi=2.2),
    memory("peak after the calls", "calls", "hwm_kb", openmpi=2.2),
    memory("resident after 2000 communicators", "communicators", "rss_kb", openmpi=3.4),
)
"""On one rank, one thread."""

SITE_ROWS: tuple[Row, ...] = tuple(
    batches(name, 5.0 * calls, label=f"{name}, sites", slack=1.0)
    for name, calls in (("Iprobe", 1), ("Allreduce", 1), ("Barrier", 1), ("Irecv+Isend+Waitall", 3))
)
"""The cost that call sites add: both runs of a pair are recorded, one without them."""

PATH_ROWS: tuple[Row, ...] = tuple(
    batches(name, 5.0 * calls, label=f"{name}, paths", slack=1.0)
    for name, calls in (("Iprobe", 1), ("Allreduce", 1), ("Barrier", 1), ("Irecv+Isend+Waitall", 3))
)
"""The cost that the sample of call paths adds, in the same way."""

THREAD_ROWS: tuple[Row, ...] = (
    call("Allreduce, 4 threads"),
    call("Irecv+Isend+Waitall, 4 threads", 3),
)


def communicator_rows(ranks: int) -> tuple[Row, ...]:
    """Make the lines about communicators of so many ranks; the slowest rank counts."""
    return tuple(
        batches(name, 0.5, unit="us", label=f"{name}, {ranks} ranks")
        for name in ("Comm_dup+Comm_free", "Comm_dup+Comm_free, 1000 alive")
    )


def job_rows(ranks: int) -> tuple[Row, ...]:
    """Make the lines about MPI_Init and MPI_Finalize with so many ranks; the slowest rank counts."""
    return (
        worst(f"Init, {ranks} ranks", "ms", "init_ms"),
        extra_row(f"Init, {ranks} ranks, our own part", "ms", "own_init_ms", 1.0),
        worst(f"Finalize, {ranks} ranks", "ms", "finalize_ms", 2.0, 4),
        worst(f"Finalize, {ranks} ranks, CPU time", "ms", "finalize_cpu_ms", 2.0),
        memory(f"resident, {ranks} ranks", "traffic", "rss_kb"),
        whole_job(f"whole job, {ranks} ranks"),
    )


def step_rows(how: str) -> tuple[Row, ...]:
    """Make the lines about a job that has all processors, recorded by a command; the slowest rank counts."""
    return (
        worst(f"dup, Allreduce, free, first 50 ms, {how}", "us", "first_us"),
        worst(f"step of 1 ms, all processors, {how}", "us", "step_us", 3.0),
        worst(f"the longest of them, {how}", "us", "longest_step_us"),
    )


def command_rows(name: str, after_ms: float) -> tuple[Row, ...]:
    """Make the lines about a job of one rank under a command, beside the same job alone.

    Args:
        name: of the command.
        after_ms: that it may take after the end of the job.
    """
    return (
        extra_row(f"{name}, before the launch", "ms", "before_ms", 60.0),
        extra_row(f"{name}, after its end", "ms", "after_ms", after_ms),
        extra_row(f"{name}, CPU time", "s", "cpu_s", 0.25),
    )


COMMAND_ROWS: dict[tuple[str, ...], tuple[Row, ...]] = {
    (): command_rows("rankwise run", 150.0),
    ("-q",): command_rows("rankwise run -q", 60.0),
}
"""By the options of `rankwise run`."""

START_ROWS: tuple[Row, ...] = (extra_row("start of any process", "us", "start_us", 60.0),)
"""A process that has nothing to do with MPI."""
