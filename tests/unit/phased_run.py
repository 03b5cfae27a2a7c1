"""Profiles of runs of two phases: the first half is quiet, then all are in MPI for most of the time."""

from __future__ import annotations

from made_profile import WORLD, Made

from rankwise.network.job.flows import flows
from rankwise.network.job.phases import FlowsByPhase, flows_by_phase
from rankwise.profile.collect.procedures import PROCEDURES

IDS = {procedure.name: procedure.id for procedure in PROCEDURES}
WIDTH, INTERVALS = 0.1, 40
EIGHT = 8
PAIR, STEP = 1_000_000, 500_000  # bytes that `run_of_eight` sends


class Run(Made):
    """Two phases, from 0 to 2 s and from 2 to 4 s."""

    def __init__(self, ranks: int = 4) -> None:
        super().__init__(ranks)
        self.insert("time_axis", begin=0.0, width=WIDTH, intervals=INTERVALS)
        for rank in range(self.ranks):
            self.insert("time_lines", rank=rank, begin=0.0, end=WIDTH * INTERVALS)

    def interval(self, rank: int, phase: int, *, sent: int = 0, messages: int = 0) -> None:
        """What a rank did in all of a phase."""
        per = INTERVALS // 2
        for number in range(per):
            self.insert(
                "intervals",
                rank=rank,
                interval=phase * per + number,
                seconds=0.09 * phase + 0.001,
                bytes_sent=sent // per,
                messages=messages // per,
                calls=1,
            )

    def all_intervals(
        self, sent: tuple[int, int] = (20, 20_000), messages: tuple[int, int] = (0, 20)
    ) -> None:
        """The same of all ranks: bytes and messages in both phases, multiples of 20."""
        for rank in range(self.ranks):
            for phase in range(2):
                self.interval(rank, phase, sent=sent[phase], messages=messages[phase])

    def sent(
        self,
        source: int,
        destination: int,
        size: int,
        number: int,
        procedure: str,
        kind: str,
        on: int = WORLD,
    ) -> None:
        self.insert(
            "messages",
            source=source,
            destination=destination,
            communicator=on,
            kind=kind,
            procedure=IDS[procedure],
            messages=number,
            bytes=size,
        )

    def by_phase(self) -> FlowsByPhase:
        phased = flows_by_phase(self.connection, flows(self.connection))
        assert [(round(phase.begin_seconds, 9), round(phase.end_seconds, 9)) for phase in phased.phases] == [
            (0, 2),
            (2, 4),
        ]
        assert (phased.bytes.sum(axis=0) == phased.flows.bytes).all()
        assert (phased.messages.sum(axis=0) == phased.flows.messages).all()
        assert (phased.bytes >= 0).all()
        assert (phased.messages >= 0).all()
        return phased


def run_of_eight() -> Run:
    """Ranks 0 to 5 call Alltoall in the first phase, 4 to 7 send around a ring in the second one."""
    run = Run(EIGHT)
    run.communicator(4, "W_a1", members="0-5", size=6)
    for rank in range(EIGHT):
        run.interval(rank, 0, sent=6 * PAIR if rank < 6 else 0)
        run.interval(rank, 1, messages=20 if rank >= 4 else 0, sent=STEP if rank >= 4 else 0)
    for rank in range(6):
        run.call(rank, "MPI_Alltoall", 0.1, size_bin=20, sent=6 * PAIR, communicator=4)
        run.insert(
            "arrivals",
            communicator=4,
            procedure=IDS["MPI_Alltoall"],
            instance=1,
            rank=rank,
            bytes=PAIR,
            arrival=0.5,
            departure=1.0,
        )
        for other in set(range(6)) - {rank}:
            run.sent(rank, other, PAIR, 1, "MPI_Alltoall", "in-collective", on=4)
    for rank in range(4, 8):
        run.sent(rank, (rank - 3) % 4 + 4, STEP, 20, "MPI_Send", "point-to-point")
    run.sent(2, 0, 77, 1, "MPI_Finalize", "in-collective")
    return run
