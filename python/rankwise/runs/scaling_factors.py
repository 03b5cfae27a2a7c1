"""POP's scaling factors against a reference.

    speed-up                = run time of the reference / run time             (weak: times ranks / its ranks)
    computation scalability = useful time of the reference / useful time       (strong: of all ranks together,
                                                                                weak: mean per rank)
    global efficiency       = parallel efficiency x computation scalability

For both kinds, the speed-up is the ideal speed-up x global efficiency / global efficiency of the reference.
Run time is between MPI_Init and MPI_Finalize, of the longest rank. `analysis.timing.efficiency` defines
parallel efficiency and its factors.

Source: POP Standard Metrics for Parallel Performance Analysis, https://pop-coe.eu/node/69.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.opened import opened_profile
from rankwise.diagnosis.kept import run_efficiency
from rankwise.runs.scaling_figures import Counters, ScalingRun
from rankwise.runs.scaling_kind import Kind
from rankwise.runs.scaling_noise import Noise, noise_of
from rankwise.runs.scaling_points import Point
from rankwise.runs.scaling_shortage import without

NEARLY_1 = 0.995
"""A factor from here on is 1 to two digits."""


@dataclass(frozen=True, kw_only=True)
class Factors:
    """The factors of the runs with one number of ranks: medians.

    Attributes:
        ranks: number of ranks.
        parameter: value of the second parameter; None = not used.
        runs: their number.
        nodes: number of nodes.
        wall_seconds: of the longest rank, with MPI_Init and MPI_Finalize.
        run_seconds: between MPI_Init and MPI_Finalize, of the longest rank.
        run_plus_minus_percent: half of the 95 % interval of `run_seconds`, in percent of it; None = unknown,
            because no number of ranks has two runs.
        least_run_seconds: of the shortest run.
        most_run_seconds: of the longest run.
        speedup: against the reference.
        ideal_speedup: ratio of the ranks.
        global_efficiency: parallel efficiency x computation scalability.
        parallel: parallel efficiency.
        load_balance: factor of `parallel`.
        communication: factor of `parallel`.
        serialisation: factor of `communication` in the median run; None = unknown.
        transfer: factor of `communication` in the median run; None = unknown.
        why_no_split: why these two are unknown; '' if they are known.
        computation: computation scalability.
        instructions: instructions of the reference / instructions; None = not counted in all runs.
        instructions_per_cycle: of this / of the reference.
        frequency: cycles per second of processor time, of this / of the reference.
        without_processor_percent: of the run, that ranks were ready but had no processor.
        without_processor_is_exact: the kernel reports it; else it is the most that too few processors can
            cost.
        crowded: ranks and their threads shared too few processors.
    """

    ranks: int
    parameter: float | None
    runs: int
    nodes: int
    wall_seconds: float
    run_seconds: float
    run_plus_minus_percent: float | None
    least_run_seconds: float
    most_run_seconds: float
    speedup: float
    ideal_speedup: float
    global_efficiency: float
    parallel: float
    load_balance: float
    communication: float
    serialisation: float | None
    transfer: float | None
    why_no_split: str
    computation: float
    instructions: float | None
    instructions_per_cycle: float | None
    frequency: float | None
    without_processor_percent: float
    without_processor_is_exact: bool
    crowded: bool


def factors_of(points: Sequence[Point], reference: Point, kind: Kind) -> list[Factors]:
    """Return the factors of each point of a series."""
    noise = noise_of([point.values(_run_seconds) for point in points])
    counted = all(run.counters for point in points for run in point.runs)
    return [_factors(point, reference, kind, noise, counted=counted) for point in points]


def _run_seconds(run: ScalingRun) -> float:
    return run.efficiency.seconds


def _useful(run: ScalingRun) -> float:
    return run.efficiency.useful_mean_seconds


def _median(point: Point, figure: Callable[[ScalingRun], float]) -> float:
    return statistics.median(point.values(figure))


def _factors(point: Point, reference: Point, kind: Kind, noise: Noise, *, counted: bool) -> Factors:
    ideal = point.ranks / reference.ranks
    work = ideal if kind == "strong" else 1.0  # of a rank at the reference / of a rank here
    times = point.values(_run_seconds)
    computation = _median(reference, _useful) / (_median(point, _useful) * work)
    parallel = _median(point, lambda run: run.efficiency.parallel)
    run_seconds = statistics.median(times)
    middle = sorted(point.runs, key=_run_seconds)[(len(point.runs) - 1) // 2]
    with opened_profile(middle.path) as connection:
        efficiency = run_efficiency(Evidence(connection))
    split = efficiency.split if efficiency else None
    communication = _median(point, lambda run: run.efficiency.communication)
    serialisation, transfer = (split.serialisation, split.transfer) if split else (None, None)
    if split is None and communication >= NEARLY_1:  # so are its factors
        serialisation, transfer = communication, 1.0

    def of_counters(figure: Callable[[Counters], float]) -> float | None:
        if not counted:
            return None
        here, there = (
            statistics.median(figure(run.counters) for run in each.runs if run.counters)
            for each in (point, reference)
        )
        return here / there

    growth = of_counters(lambda counters: counters.instructions)
    return Factors(
        ranks=point.ranks,
        parameter=point.parameter,
        runs=len(point.runs),
        nodes=point.runs[0].configuration.nodes,
        wall_seconds=_median(point, lambda run: run.run.wall_seconds),
        run_seconds=run_seconds,
        run_plus_minus_percent=100 * noise.half_width(len(times)) if noise.known else None,
        least_run_seconds=min(times),
        most_run_seconds=max(times),
        speedup=_median(reference, _run_seconds) / run_seconds * ideal / work,
        ideal_speedup=ideal,
        global_efficiency=parallel * computation,
        parallel=parallel,
        load_balance=_median(point, lambda run: run.efficiency.load_balance),
        communication=communication,
        serialisation=serialisation,
        transfer=transfer,
        why_no_split=(
            ""
            if serialisation is not None
            else efficiency.why_no_split
            if efficiency
            else "the run has no time"
        ),
        computation=computation,
        instructions=growth and ideal / work / growth,
        instructions_per_cycle=of_counters(lambda counters: counters.instructions / counters.cycles),
        frequency=of_counters(lambda counters: counters.cycles / counters.cpu_seconds),
        without_processor_percent=100 * without(point),
        without_processor_is_exact=all(run.processors.is_exact for run in point.runs),
        crowded=any(run.processors.crowded for run in point.runs),
    )
