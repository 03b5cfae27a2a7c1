"""Performance guidelines as alarms: a collective must not take longer than other calls that do the same.

If MPI_Allreduce takes longer than MPI_Reduce and MPI_Bcast one after the other, the library has chosen badly:
it could have done that. No profile is needed, and no library has to be asked how it chooses.

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
from rankwise.tuning.racing.race import AGAIN, AIM, HeldOut, hold_out, noise, race
from rankwise.tuning.racing.racer import Racer, Unfit
from rankwise.tuning.settings.rule import Algorithm

MARGIN = 0.05
"""By which a collective may be slower without an alarm."""
ROUNDS = 32
PARTS = 4
"""That messages are cut into: the same as in src/probes/collective/mockups.c."""
MOST_BYTES = 256 << 20
"""Of a process's buffer: calls that need more are left out."""
MOST_ELEMENTS = (1 << 31) - 1
"""Of all blocks: the probe's counts are an int."""

_OF_MESSAGE = 0.5
"""Of the time of a message by MPI_Barrier: what took less was not measured with its ranks side by side."""

_CURES = 5  # violations that an algorithm is looked for
_MOST_CURE_ROUNDS = 24

Say = Callable[[str], None]


@dataclass(frozen=True)
class Guideline:
    """A collective must not take longer than other calls.

    Attributes:
        procedure: the collective.
        mockup: name of the other calls, see racing.mockups.
        words: of them, for people.
        for_each: of what a block has to have an element; '': of nothing.
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
"""Of other calls. That larger messages must not take less time is looked at for all of these collectives."""

_OF_ALL_BLOCKS = frozenset({"MPI_Allgather", "MPI_Gather", "MPI_Scatter", "MPI_Reduce_scatter_block"})
_WITHOUT_SIZE = frozenset({"MPI_Barrier"})


class Comparer(Racer, Protocol):
    """A racer whose arms may be calls in the place of a collective, too: racing.session.Session."""

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
    """A collective with messages of one size, and what it is compared with.

    Attributes:
        cell: the collective.
        others: by the words for them.
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
        larger: bytes of the message, if the other call is the same with a larger one; 0 if it is not.
        own_us: a call, us.
        other_us: the other calls together, us.
        interval: of the ratio collective / other calls.
        control: of the ratio of the collective to itself.
        least_us: that any such call takes; what was measured below is too short.
        cure: the algorithm that makes it faster, and how much; None: none was found, or looked for.
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
    cure: tuple[Algorithm, HeldOut] | None = None

    @property
    def is_too_short(self) -> bool:
        """Whether a time is less than can be: nothing is concluded from it.

        Where ranks share processors, the root may have sent all before another rank runs at all; then each
        rank's own time is short, however long the call took.
        """
        return min(self.own_us, self.other_us) < self.least_us

    @property
    def is_violated(self) -> bool:
        """Whether the collective takes longer, by more than chance and the noise of its own time explain."""
        if self.is_too_short:
            return False
        return self.interval.reached and self.interval.low > (1 + MARGIN) * noise(self.control)


@dataclass(kw_only=True)
class Outcome:
    """What guidelines showed.

    Attributes:
        library: that was measured.
        hosts: names of the nodes, sorted.
        processes: of the communicator.
        confidence: of all intervals together.
        compared: so far, in the order in which they were.
        unfit: why calls could not be compared, by what they are.
        too_large: calls that were left out for their memory.
        left: comparisons that there was no time for.
        ended: why it was ended early; '' if it was not.
        least_us: see Compared; it is known when MPI_Barrier was measured.
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
        """Those with a time that is less than can be."""
        return [one for one in self.compared if one.is_too_short]

    @property
    def violated(self) -> list[Compared]:
        """Those that are violated, the worst first."""
        found = [one for one in self.compared if one.is_violated]
        return sorted(found, key=lambda one: -one.interval.ratio)

    @property
    def controls(self) -> list[Interval]:
        """Of each collective and size, its ratio to itself."""
        return list({(one.procedure, one.size): one.control for one in self.compared}.values())


def compare(comparer: Comparer, sizes: Sequence[int], confidence: float, seed: int, say: Say) -> Outcome:
    """Look at all guidelines.

    Args:
        comparer: runs the calls.
        sizes: of messages, bytes.
        confidence: of all intervals together.
        seed: of the order of calls.
        say: is told how far it is, by lines.

    Raises:
        RankwiseError: the launch has one rank alone, or the job failed.
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
    of_each = 1 - (1 - confidence) / max(1, sum(len(one.others) for one in asked))
    rounds = max(ROUNDS, least_rounds(of_each))
    outcome.left = sum(len(one.others) for one in asked)
    with _ending(outcome):
        seconds = [rounds * (2 + len(one.others)) * comparer.of_visit(one.cell) for one in asked]
        say(
            f"{outcome.left} comparisons in {rounds} rounds: {about(sum(seconds))}; then better algorithms "
            "are searched for"
        )
        begin = time.monotonic()
        for number, question in enumerate(asked, 1):
            found = _compared(comparer, question, rounds, of_each, seed, outcome)
            outcome.compared += found
            if question.cell.procedure in _WITHOUT_SIZE and found:
                outcome.least_us = _least_us(found[0].own_us, ranks)
            outcome.left -= len(question.others)
            # As slow as it was so far: the other calls may take longer, and the machine may have other work.
            left = (time.monotonic() - begin) * sum(seconds[number:]) / sum(seconds[:number])
            more = f"; {about(left)} left" if left else ""
            slower = [f"{ratio_text(one.interval.ratio)} x {one.against}" for one in found if one.is_violated]
            said = f" takes {' and '.join(slower)}" if slower else ""
            say(f"{number} of {len(asked)}: {_title(question.cell)}{said}{more}")
        _cure(comparer, outcome, seed, say)
    return outcome


def questions(ranks: int, sizes: Sequence[int], too_large: list[str]) -> list[Question]:
    """Return what is to be compared, by size and collective.

    Args:
        ranks: of the communicator.
        sizes: of messages, bytes, ascending.
        too_large: gets what is left out for its memory.
    """
    found, least = [], {"": 0, "process": ranks, "part": PARTS}
    for place, size in enumerate(sizes):
        elements = size // 8 if size % 8 == 0 else size
        following = sizes[place + 1] if place + 1 < len(sizes) else 0
        # What is without size comes first: it shows what a message takes.
        procedures = dict.fromkeys(one.procedure for one in GUIDELINES)
        for procedure in sorted(procedures, key=lambda name: name not in _WITHOUT_SIZE):
            if procedure in _WITHOUT_SIZE and place > 0:
                continue
            others = {
                one.words: Mockup(one.mockup)
                for one in GUIDELINES
                if one.procedure == procedure and elements >= least[one.for_each]
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
                found.append(Question(cell, others))
    return found


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
        times = {name: [one[name] for one in ran] for name in arms}
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
    """Return what any call takes in which a rank gets something from another: a message.

    Args:
        barrier_us: what MPI_Barrier takes: a message after the other, as often as ranks can be halved.
        ranks: that take part.
    """
    return max(CLOCK_US, _OF_MESSAGE * barrier_us / math.ceil(math.log2(ranks)))


def _cure(comparer: Comparer, outcome: Outcome, seed: int, say: Say) -> None:
    """Look for algorithms that make the worst calls faster, where the library can be told to take them."""
    worst: dict[tuple[str, int], Compared] = {}
    for one in outcome.violated:
        if comparer.offered(one.procedure):
            worst.setdefault((one.procedure, one.size), one)
    looked_for = list(worst.values())[:_CURES]
    aim = replace(AIM, most=_MOST_CURE_ROUNDS)
    for number, one in enumerate(looked_for, 1):
        cell = _cell(one.procedure, one.processes, one.size)
        say(f"looking for a better algorithm, {number} of {len(looked_for)}: {_title(cell)}")
        offered = comparer.offered(one.procedure)
        arms = arms_of(by_version(comparer.library), one.procedure, one.size, offered)
        winner = race(comparer, cell, arms, aim, seed).winner
        if winner is None:
            continue
        held = hold_out(comparer, cell, winner, aim.confidence_of_each(len(looked_for)), seed=seed)
        plausible = held.evidence.chosen_us >= one.least_us
        if plausible and held.is_worth_it:
            for place, same in enumerate(outcome.compared):
                if (same.procedure, same.size) == (one.procedure, one.size):
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
