"""Settings and rules to test with."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.launchers.binding import Binding
from rankwise.tuning.settings.model import About, Settings
from rankwise.tuning.settings.rule import Algorithm, Evidence, Rule

OPEN_MPI_4 = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"
MPICH_4 = "MPICH Version:\t4.0.2"
INTEL = "Intel(R) MPI Library 2021.18.1 for Linux* OS"
ABIS = {OPEN_MPI_4: "openmpi", MPICH_4: "mpich", INTEL: "mpich"}
EVIDENCE = Evidence(100.0, 50.0, 2.0, 1.9, 2.1, 0.95, 64)


def rule(
    procedure: str,
    processes: int,
    low: int = 0,
    high: int | None = None,
    algorithm: str = "x",
    number: int = 3,
    segment: int = 0,
) -> Rule:
    return Rule(f"MPI_{procedure}", processes, low, high, Algorithm(algorithm, number, segment), EVIDENCE)


def settings(
    *rules: Rule,
    library: str = OPEN_MPI_4,
    environment: Mapping[str, str] | None = None,
    bindings: tuple[Binding, ...] = (),
) -> Settings:
    about = About(
        rankwise="0.1.0",
        created="2026-11-24T20:22:00+01:00",
        library=library,
        abi=ABIS.get(library, "openmpi"),
        hosts=("node1", "node2"),
        command=("mpirun", "-n", "4", "./app", "two words", "line\nend"),
        gain=(1.25, 1.2, 1.3, 0.95, 20),
    )
    return Settings(about, rules, dict(environment or {}), bindings)
