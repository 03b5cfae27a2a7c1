"""Performance guidelines as alarms: a collective must not take longer than other calls that do the same.

If MPI_Allreduce takes longer than MPI_Reduce followed by MPI_Bcast, the library has chosen badly: it could
have done just that. This needs neither a profile nor knowledge of how the library chooses.

Sources: Traff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines", IEEE TPDS 21, 2010; Hunold,
Carpen-Amarie, "Autotuning MPI Collectives using Performance Guidelines", HPC Asia 2018.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from rankwise.errors import RankwiseError
from rankwise.mpi_libraries import Version, version_of
from rankwise.text.units import exact_byte_text, ratio_text
from rankwise.trials.interval import Interval, ratio_interval
from rankwise.trials.plan import about, least_rounds
from rankwise.trials.race import order
from rankwise.trials.run import Interrupted, OutOfTime
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.libraries import by_version
from rankwise.tuning.measured import CLOCK_US
from rankwise.tuning.racing.arms import DEFAULT, arms_of
from rankwise.tuning.racing.batch import Arm
from rankwise.tuning.racing.mockups import Mockup
from rankwise.tuning.racing.race import AGAIN, AIM, Validation, noise, race, validate
from rankwise.tuning.racing.racer import Racer, Unfit
from rankwise.tuning.settings.rule import Algorithm

MARGIN = 0.05
"""How much slower a collective may be without an alarm."""
ROUNDS = 32
PARTS = 4
"""The number of pieces of a message: the same as in src/probes/collective/mockups.c."""
MOST_BYTES = 256 << 20
"""Largest buffer of a process: calls that need more are left out."""
MOST_ELEMENTS = (1 << 31) - 1
"""Of all blocks: the probe's counts are ints."""

_OF_MESSAGE = 0.5
"""Share of MPI_Barrier's time for a message: if a call took less, its ranks did not run at the same time."""

_CURES = 5  # violations for which a better algorithm is searched
_MOST_CURE_ROUNDS = 24

Say = Callable[[str], None]


@dataclass(frozen=True)
class Guideline:
    """A collective must not take longer than other calls.

    Attributes:
        procedure: the collective.
        mockup: name of the other calls, see racing.mockups.
        words: for the other calls, for people.
        for_each: a block needs an element for each of these; '': no condition.
    """

    procedure: str
    mockup: str
    words: str
    for_each: Literal["", "process", "part"] = ""


_BLOCKS = "Reduce_scatter_block"
GUIDELINES = (
    Guideline("MPI_Allreduce", "Reduce+Bcast", "Reduce + Bcast"),
    Guideline("MPI_Allreduce", f"{_BLOCKS}+Allgather", f"{_BLOCKS} + Allgather", "process"),
    Guideline("MPI_Allreduce", "parts", f"{PARTS} Allreduce of a part each", "part"),
    Guideline("MPI_Bcast", "Scatter+Allgather", "Scatter + Allgather", "process"),
    Guideline("MPI_Bcast", "parts", f"{PARTS} Bcast of a part each", "part"),
    Guideline("MPI_Reduce", "Allreduce", "Allreduce"),
    Guideline("MPI_Reduce", "parts", f"{PARTS} Reduce of a part each", "part"),
    Guideline("MPI_Allgather", "Gather+Bcast", "Gather + Bcast"),
    Guideline("MPI_Allgather", "Alltoall", "Alltoall"),
    Guideline("MPI_Gather", "Allgather", "Allgather"),
    Guideline("MPI_Scatter", "Bcast", "Bcast of all blocks"),
    Guideline("MPI_Reduce_scatter_block", "Reduce+Scatter", "Reduce + Scatter"),
    Guideline("MPI_Scan", "Exscan+Reduce_local", "Exscan + Reduce_local"),
    Guideline("MPI_Barrier", "Allreduce", "Allreduce of 4 B"),
)
"""For all of these collectives, larger messages must also not take less time."""

_OF_ALL_BLOCKS = frozenset({"MPI_Allgather", "MPI_Gather", "MPI_Scatter", "MPI_Reduce_scatter_block"})
_WITHOUT_SIZE = frozenset({"MPI_Barrier"})


class Comparer(Racer, Protocol):
    """A racer whose arms may also be calls that replace a collective: racing.session.Session."""

    def run(
        self, cell: Cell, arms: Mapping[str, Arm], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        """See Racer."""
        ...

    def of_visit(self, cell: Cell) -> float:
        """Return about how many seconds the library's own choice takes in a round."""
        ...


@dataclass(frozen=True)
class Question:
    """A collective with messages of one size, and the calls that it is compared with.

    Attributes:
        cell: the collective.
        others: the other calls, by their words.
    """

    cell: Cell
    others: Mapping[str, Mockup]


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A collective compared with other calls.

    Attributes:
        procedure: the collective.
        processes: of the communicator.
        size: bytes of the message; 0 of MPI_Barrier.
        against: the other calls.
        larger: bytes of the larger message, if the other call is the same collective; else 0.
        own_us: a call, us.
        other_us: the other calls together, us.
        interval: of the ratio collective / other calls.
        control: of the ratio of the collective to itself.
        least_us: that any such call takes; shorter times are not plausible.
        cure: an algorithm that makes it faster, and how much; None: not found, or not searched.
    """

    procedure: str
    processes: int
    size: int
    against: str
    larger: int
    own_us: float
    other_us: float
    interval: Interval
    control: Interval
    least_us: float = CLOCK_US
    cure: tuple[Algorithm, Validation] | None = None

    @property
    def is_too_short(self) -> bool:
        """Whether a time is implausibly short, so that nothing follows from it.

        Where ranks share processors, the root may have sent everything before another rank runs at all. Then
        each rank's own time is short, although the call took long.
        """
        return min(self.own_us, self.other_us) < self.least_us

    @property
    def is_violated(self) -> bool:
        """Whether the collective takes longer than chance and the noise of its time can explain."""
        if self.is_too_short:
            return False
        return self.interval.reached and self.interval.low > (1 + MARGIN) * noise(self.control)


@dataclass(kw_only=True)
class Outcome:
    """The result of checking the guidelines.

    Attributes:
        library: that was measured.
        hosts: names of the nodes, sorted.
        processes: of the communicator.
        confidence: of all intervals together.
        compared: so far, in their order.
        unfit: why calls could not be compared, by the name of the comparison.
        too_large: calls that were left out for their memory.
        left: comparisons that there was no time for.
        ended: why it ended early; '' if it did not.
        least_us: see Compared; known once MPI_Barrier was measured.
    """

    library: Version
    hosts: tuple[str, ...]
    processes: int
    confidence: float
    compared: list[Compared] = field(default_factory=list)
    unfit: dict[str, str] = field(default_factory=dict)
    too_large: list[str] = field(default_factory=list)
    left: int = 0
    ended: str = ""
    least_us: float = CLOCK_US

    @property
    def too_short(self) -> list[Compared]:
        """Comparisons with an implausibly short time."""
        return [comparison for comparison in self.compared if comparison.is_too_short]

    @property
    def violated(self) -> list[Compared]:
        """Violations, the worst first."""
        violations = [comparison for comparison in self.compared if comparison.is_violated]
        return sorted(violations, key=lambda comparison: -comparison.interval.ratio)

    @property
    def controls(self) -> list[Interval]:
        """The ratio to itself of each collective and size."""
        return list(
            {
                (comparison.procedure, comparison.size): comparison.control for comparison in self.compared
            }.values()
        )


def compare(comparer: Comparer, sizes: Sequence[int], confidence: float, seed: int, say: Say) -> Outcome:
    """Check all guidelines.

    Args:
        comparer: runs the calls.
        sizes: of messages, bytes.
        confidence: of all intervals together.
        seed: of the order of calls.
        say: gets a line of progress at a time.

    Raises:
        RankwiseError: the launch has only one rank, or the job failed.
    """
    ranks = len(comparer.hosts)
    if ranks < 2:
        raise RankwiseError("the launch starts one rank, and collectives need two or more: add some")
    outcome = Outcome(
        library=version_of(comparer.library),
        hosts=tuple(sorted(set(comparer.hosts))),
        processes=ranks,
        confidence=confidence,
    )
    asked = questions(ranks, sizes, outcome.too_large)
    of_each = 1 - (1 - confidence) / max(1, sum(len(question.others) for question in asked))
    rounds = max(ROUNDS, least_rounds(of_each))
    outcome.left = sum(len(question.others) for question in asked)
    with _ending(outcome):
        seconds = [
            rounds * (2 + len(question.others)) * comparer.of_visit(question.cell) for question in asked
        ]
        say(
            f"{outcome.left} comparisons in {rounds} rounds: {about(sum(seconds))}; then better algorithms "
            "are searched for"
        )
        begin = time.monotonic()
        for number, question in enumerate(asked, 1):
            comparisons = _compared(comparer, question, rounds, of_each, seed, outcome)
            outcome.compared += comparisons
            if question.cell.procedure in _WITHOUT_SIZE and comparisons:
                outcome.least_us = _least_us(comparisons[0].own_us, ranks)
            outcome.left -= len(question.others)
            # At the pace so far: the other calls may take longer, and the machine may have other work.
            seconds_left = (time.monotonic() - begin) * sum(seconds[number:]) / sum(seconds[:number])
            more = f"; {about(seconds_left)} left" if seconds_left else ""
            slower = [
                f"{ratio_text(comparison.interval.ratio)} x {comparison.against}"
                for comparison in comparisons
                if comparison.is_violated
            ]
            said = f" takes {' and '.join(slower)}" if slower else ""
            say(f"{number} of {len(asked)}: {_title(question.cell)}{said}{more}")
        _cure(comparer, outcome, seed, say)
    return outcome


def questions(ranks: int, sizes: Sequence[int], too_large: list[str]) -> list[Question]:
    """Return the comparisons, by size and collective.

    Args:
        ranks: of the communicator.
        sizes: of messages, bytes, ascending.
        too_large: gets the calls that need too much memory.
    """
    listed, least = [], {"": 0, "process": ranks, "part": PARTS}
    for place, size in enumerate(sizes):
        elements = size // 8 if size % 8 == 0 else size
        following = sizes[place + 1] if place + 1 < len(sizes) else 0
        # MPI_Barrier comes first: it shows how long a message takes.
        procedures = dict.fromkeys(guideline.procedure for guideline in GUIDELINES)
        for procedure in sorted(procedures, key=lambda name: name not in _WITHOUT_SIZE):
            if procedure in _WITHOUT_SIZE and place > 0:
                continue
            others = {
                guideline.words: Mockup(guideline.mockup)
                for guideline in GUIDELINES
                if guideline.procedure == procedure and elements >= least[guideline.for_each]
            }
            own = 0 if procedure in _WITHOUT_SIZE else size
            blocks = ranks if procedure in _OF_ALL_BLOCKS else 1
            fits = following * blocks <= MOST_BYTES and ranks * following <= MOST_ELEMENTS
            if following and own and fits:
                others[f"{procedure.removeprefix('MPI_')} of {exact_byte_text(following)}"] = Mockup(
                    "", following
                )
            cell = _cell(procedure, ranks, own)
            if blocks * own > MOST_BYTES or ranks * elements > MOST_ELEMENTS:
                too_large.append(_title(cell))
            elif others:
                listed.append(Question(cell, others))
    return listed


def _compared(
    comparer: Comparer, question: Question, rounds: int, confidence: float, seed: int, outcome: Outcome
) -> list[Compared]:
    cell, others = question.cell, dict(question.others)
    while others:
        arms: dict[str, Arm] = {DEFAULT: None, AGAIN: None, **others}
        try:
            ran = comparer.run(cell, arms, [order(list(arms), number, seed) for number in range(rounds)])
        except Unfit as unfit:
            for name, why in unfit.why.items():
                outcome.unfit[f"{_title(cell)} against {name}"] = why
                others.pop(name, None)
            continue
        times = {name: [round_times[name] for round_times in ran] for name in arms}
        control = ratio_interval(times[DEFAULT], times[AGAIN], confidence)
        return [
            Compared(
                procedure=cell.procedure,
                processes=cell.processes,
                size=cell.size,
                against=name,
                larger=mockup.larger,
                own_us=1e6 * statistics.median(times[DEFAULT]),
                other_us=1e6 * statistics.median(times[name]),
                interval=ratio_interval(times[DEFAULT], times[name], confidence),
                control=control,
                least_us=outcome.least_us,
            )
            for name, mockup in others.items()
        ]
    return []


def _least_us(barrier_us: float, ranks: int) -> float:
    """Return the least time of a call in which a rank gets something from another: that of a message.

    Args:
        barrier_us: time of MPI_Barrier, which sends log2(ranks) messages one after the other.
        ranks: that take part.
    """
    return max(CLOCK_US, _OF_MESSAGE * barrier_us / math.ceil(math.log2(ranks)))


def _cure(comparer: Comparer, outcome: Outcome, seed: int, say: Say) -> None:
    """Search for algorithms that make the worst calls faster, where the library lets one choose."""
    worst: dict[tuple[str, int], Compared] = {}
    for violation in outcome.violated:
        if comparer.offered(violation.procedure):
            worst.setdefault((violation.procedure, violation.size), violation)
    looked_for = list(worst.values())[:_CURES]
    aim = replace(AIM, most=_MOST_CURE_ROUNDS)
    for number, violation in enumerate(looked_for, 1):
        cell = _cell(violation.procedure, violation.processes, violation.size)
        say(f"looking for a better algorithm, {number} of {len(looked_for)}: {_title(cell)}")
        offered = comparer.offered(violation.procedure)
        arms = arms_of(by_version(comparer.library), violation.procedure, violation.size, offered)
        winner = race(comparer, cell, arms, aim, seed).winner
        if winner is None:
            continue
        held = validate(comparer, cell, winner, aim.confidence_of_each(len(looked_for)), seed=seed)
        plausible = held.evidence.chosen_us >= violation.least_us
        if plausible and held.is_worth_it:
            for place, same in enumerate(outcome.compared):
                if (same.procedure, same.size) == (violation.procedure, violation.size):
                    outcome.compared[place] = replace(same, cure=(winner, held))


def _cell(procedure: str, ranks: int, size: int) -> Cell:
    return Cell(
        procedure=procedure,
        processes=ranks,
        low=size,
        high=size,
        size=size,
        calls=1,
        seconds=0.0,
        tunable_seconds=0.0,
        groupings=(Grouping((tuple(range(ranks)),)),),
    )


def _title(cell: Cell) -> str:
    size = "" if cell.procedure in _WITHOUT_SIZE else f" of {exact_byte_text(cell.size)}"
    return f"{cell.procedure.removeprefix('MPI_')}{size} on {cell.processes} processes"


@contextmanager
def _ending(outcome: Outcome) -> Iterator[None]:
    try:
        yield
    except Interrupted:
        outcome.ended = "Interrupted."
    except OutOfTime:
        outcome.ended = "The time is up; give more with --budget."
