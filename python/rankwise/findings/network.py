"""What the rules on network ports share."""

from __future__ import annotations

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.totals import nodes
from rankwise.findings.finding import Command, NoAnswer

SHOW = Command("show", ("--by", "network"))
NO_SAMPLES = NoAnswer("no counters of the network were sampled")


def seconds_in_mpi(profile: Evidence) -> dict[str, float]:
    """Map hosts to the time in MPI of their ranks."""
    return {node.host: node.seconds for node in nodes(profile.connection)}
