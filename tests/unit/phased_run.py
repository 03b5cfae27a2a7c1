"""Profiles of runs of two phases: the first half is quiet, then all are in MPI for most of the time."""

from __future__ import annotations

from made_profile import WORLD, Made

from rankwise.network.job.flows import flows
from rankwise.network.job.phases import FlowsByPhase, flows_by_phase
from rankwise.profile.procedures import PROCEDURES

IDS = {one.name: one.id for one in PROCEDURES}
WIDTH, INTERVALS = 0.1, 40


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
        found = flows_by_phase(self.connection, flows(self.connection))
        assert [(round(one.begin_seconds, 9), round(one.end_seconds, 9)) for one in found.phases] == [
            (0, 2),
            (2, 4),
        ]
        assert (found.bytes.sum(axis=0) == found.flows.bytes).all()
        assert (found.messages.sum(axis=0) == found.flows.messages).all()
        assert (found.bytes >= 0).all()
        assert (found.messages >= 0).all()
        return found
