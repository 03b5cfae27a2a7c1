"""What the rules on network ports share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.network import NetworkUse
from rankwise.analysis.nodes.totals import nodes
from rankwise.findings.finding import Command, Finding, NoAnswer

SHOW = Command("show", ("--by", "network"))


def if_sampled(
    find: Callable[[Evidence, NetworkUse], Sequence[Finding] | NoAnswer],
) -> Callable[[Evidence], Sequence[Finding] | NoAnswer]:
    """Apply a rule to runs of several nodes whose network ports were sampled."""

    def checked(profile: Evidence) -> Sequence[Finding] | NoAnswer:
        if profile.run.nodes < 2:
            return []
        use = profile.network
        return find(profile, use) if use.nodes else NoAnswer("no counters of the network were sampled")

    return checked


def seconds_in_mpi(profile: Evidence) -> dict[str, float]:
    """Map hosts to the time in MPI of their ranks."""
    return {node.host: node.seconds for node in nodes(profile.connection)}
