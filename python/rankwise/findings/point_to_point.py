"""The cost of messages without waiting, and how much another order of the ranks could save."""

from __future__ import annotations

from rankwise.analysis.calls.families import Family
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.messages.regrouping import MOST_PAIRS, regrouping
from rankwise.analysis.waiting.message_sample import WAITING
from rankwise.analysis.waiting.messages import MOSTLY_CERTAIN
from rankwise.findings.finding import LOW, MEDIUM, Fact, NoAnswer
from rankwise.profile.join.members import parse
from rankwise.records import dataclass
from rankwise.text.units import percent_text

LEAST_OFF_NODE = 0.25  # of the bytes
LEAST_KEPT = 0.2  # of the bytes that leave their nodes


@dataclass(frozen=True)
class Spared:
    """The bytes that another order of the ranks could keep on the nodes.

    Attributes:
        transfer_seconds: in calls with messages without waiting, summed over the ranks.
        bytes: of all messages.
        off_node_bytes: that leave their nodes.
        kept_bytes: of these, how many would stay on their nodes.
    """

    transfer_seconds: float
    bytes: int
    off_node_bytes: int
    kept_bytes: int

    @property
    def seconds(self) -> float:
        """The transfer's share of these bytes."""
        return self.transfer_seconds * self.kept_bytes / self.bytes

    @property
    def inputs(self) -> list[Fact]:
        """Of the formula for `seconds`."""
        return [
            Fact("time in messages without waiting", self.transfer_seconds, "s"),
            Fact("bytes that another order would keep on their nodes", self.kept_bytes, "B"),
            Fact("bytes of all messages", self.bytes, "B"),
        ]


FORMULA = "time in messages without waiting x (avoidable off-node bytes / bytes of all messages)"


def spared(profile: Evidence) -> Spared | NoAnswer | None:
    """Return the bytes that another order of the ranks could keep on the nodes; None if too few."""
    if profile.run.nodes < 2 or profile.run.nodes >= profile.run.ranks:
        return None  # no bytes leave, or all do in any order
    traffic = regrouping(profile.connection)
    if traffic is None:
        return NoAnswer(f"more than {MOST_PAIRS} pairs of ranks exchange messages: use `rankwise map`")
    kept = traffic.off_node_bytes - traffic.off_node_bytes_then
    if (
        traffic.off_node_bytes < LEAST_OFF_NODE * traffic.bytes
        or kept < LEAST_KEPT * traffic.off_node_bytes
        or not kept
    ):
        return None
    return Spared(transfer_seconds(profile), traffic.bytes, traffic.off_node_bytes, kept)


def could_be_reordered(profile: Evidence) -> list[Family]:
    """Return the families of communicators that allow another order, but were not reordered."""
    return [
        family
        for family in profile.families
        if family.reorder and not family.reordered and not _has_another_order(family)
    ]


def _has_another_order(family: Family) -> bool:
    """Return whether the MPI library has reordered: the ranks of the world don't ascend."""
    return any((ranks := parse(text)) != sorted(ranks) for text in family.members)


def transfer_seconds(profile: Evidence) -> float:
    """Return the time in calls that send and receive, of all ranks, without waiting.

    Unclassified calls are assumed to wait as much as classified ones.
    """
    seconds = sum(
        row.totals.seconds
        for row in profile.procedures
        if row.procedure in WAITING or row.procedure_class in ("point-to-point", "one-sided", "starting")
    )
    messages = profile.messages
    certain = messages.seconds * messages.percent_certain / 100
    late = messages.late_sender_seconds + messages.late_receiver_seconds
    return max(seconds - (late * messages.seconds / certain if certain else 0.0), 0.0)


def how_sure(profile: Evidence, otherwise: str) -> tuple[str, str]:
    """Return the confidence of `spared`, and why: low, if the waiting of most messages is unknown.

    Args:
        profile: the facts of the run.
        otherwise: what else makes it unsure.
    """
    if profile.messages.percent_certain >= MOSTLY_CERTAIN:
        return MEDIUM, otherwise
    share = percent_text(profile.messages.percent_certain)
    return LOW, f"{otherwise}; only {share} % of the time in messages is classified"
