"""Profiles of one program with several numbers of ranks, whose times follow known laws."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from made_profile import WORLD, Made

Law = Callable[[float], float]
RANKS = (2, 4, 8, 16, 32, 64)
_FIRST = 10  # id of the first communicator


@dataclass(frozen=True)
class Call:
    """Calls of one procedure on one family.

    Attributes:
        seconds: of each rank.
        sent: bytes of each rank.
        region: path of the region.
    """

    seconds: Law
    sent: Law = lambda _: 0.0
    region: str = ""


@dataclass(frozen=True)
class Program:
    """A program.

    Attributes:
        useful: seconds of each rank outside of MPI.
        calls: by family and procedure.
        name: of the program.
        library: as the profile has it.
        tags: of each run.
        noise: relative standard deviation of each time.
        slower: how much other jobs delay all of a run, relative: mean of the absolute value.
        used: processor time of each rank; None = not counted.
        waited: seconds that each rank was ready and had no processor; None = the kernel does not report it.
        cpus: processors of the node.
    """

    useful: Law
    calls: Mapping[tuple[str, str], Call]
    name: str = "heat"
    library: str = "Open MPI v4.1.4"
    tags: Mapping[str, str] = field(default_factory=dict)
    noise: float = 0.0
    slower: float = 0.0
    used: Law | None = None
    waited: Law | None = None
    cpus: str = "0-255"

    def write(
        self, directory: Path, ranks: Sequence[int] = RANKS, runs: int = 1, seed: int = 1
    ) -> list[Path]:
        """Write a profile of each run, and return their paths."""
        chance = random.Random(seed)
        return [
            self.run(directory / f"{self.name}-{count}-{number}.rankwise", count, number, chance)
            for count in ranks
            for number in range(runs)
        ]

    def run(self, path: Path, ranks: int, number: int, chance: random.Random) -> Path:
        """Write one profile."""

        def noisy(seconds: float) -> float:
            return seconds * max(0.0, 1 + self.noise * chance.gauss(0.0, 1.0))

        factor = 1 + self.slower * abs(chance.gauss(0.0, 1.0)) if self.slower else 1.0
        useful = factor * noisy(self.useful(ranks))
        times = {key: factor * noisy(call.seconds(ranks)) for key, call in self.calls.items()}
        seconds = useful + sum(times.values())
        made = Made(ranks, runs=[seconds] * ranks, cpus=self.cpus)
        if self.used:
            made.connection.execute("UPDATE ranks SET user = ?", (self.used(ranks),))
        if self.waited:
            for rank in range(ranks):
                made.insert("places", rank=rank, run_queue_wait=self.waited(ranks))
        started = f"2026-11-2{number}T10:00:{ranks % 60:02}+00:00"
        made.connection.execute(
            "UPDATE run SET wall = ?, started = ?, mpi_library = ?, executable = ?, programs = ?",
            (seconds, started, self.library, f"./{self.name}", f'[["./{self.name}", "input"]]'),
        )
        for name, value in self.tags.items():
            made.insert("tags", name=name, value=value)
        families = {
            family: _FIRST + place for place, family in enumerate({key[0]: None for key in self.calls})
        }
        families |= {"W": WORLD} if "W" in families else {}
        for family, identity in families.items():
            if identity != WORLD:
                made.communicator(identity, f"{family}.0", family=family)
        regions = {call.region: 0 for call in self.calls.values()}
        for place, region in enumerate(filter(None, regions), 1):
            regions[region] = place
            made.region(place, region, dict.fromkeys(range(ranks), (seconds, seconds)))
        for (family, procedure), call in self.calls.items():
            for rank in range(ranks):
                made.call(
                    rank,
                    procedure,
                    times[family, procedure],
                    calls=10,
                    sent=round(call.sent(ranks)),
                    size_bin=4 if call.sent(ranks) else 0,
                    communicator=families[family],
                    region=regions[call.region],
                )
        return made.write(path)
