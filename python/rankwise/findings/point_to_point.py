"""What messages cost beside waiting, and what of it another order of the ranks could spare."""

from __future__ import annotations

from rankwise.analysis.calls.families import Family
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.messages.regrouping import MOST_PAIRS, regrouping
from rankwise.analysis.waiting.message_sample import WAITING
from rankwise.analysis.waiting.messages import MOSTLY_CERTAIN
from rankwise.findings.finding import LOW, MEDIUM, Fact, NotTold
from rankwise.profile.join.members import parse
from rankwise.records import dataclass
from rankwise.text.units import percent_text

LEAST_OFF_NODE = 0.25  # of the bytes
LEAST_KEPT = 0.2  # of the bytes that leave their nodes


@dataclass(frozen=True)
class Spared:
    """What another order of the ranks could keep on the nodes.

    Attributes:
        transfer_seconds: of messages, over the ranks: their calls without waiting.
        bytes: of all messages.
        off_node_bytes: that leave their nodes.
        kept_bytes: of them, in the other order not.
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


def spared(seen: Evidence) -> Spared | NotTold | None:
    """Return what another order of the ranks could keep on the nodes; None where it is too little."""
    if seen.run.nodes < 2 or seen.run.nodes >= seen.run.ranks:
        return None  # nothing leaves, or everything wherever the ranks are
    found = regrouping(seen.connection)
    if found is None:
        return NotTold(f"more than {MOST_PAIRS} pairs of ranks exchange messages: use `rankwise map`")
    kept = found.off_node_bytes - found.off_node_bytes_then
    if (
        found.off_node_bytes < LEAST_OFF_NODE * found.bytes
        or kept < LEAST_KEPT * found.off_node_bytes
        or not kept
    ):
        return None
    return Spared(transfer_seconds(seen), found.bytes, found.off_node_bytes, kept)


def could_be_reordered(seen: Evidence) -> list[Family]:
    """Return the families of communicators that ask for another order, and have none."""
    return [one for one in seen.families if one.reorder and not one.reordered and not _has_another_order(one)]


def _has_another_order(family: Family) -> bool:
    """Tell whether the MPI library has reordered: the ranks of the world don't ascend."""
    return any((ranks := parse(text)) != sorted(ranks) for text in family.members)


def transfer_seconds(seen: Evidence) -> float:
    """Return the time in calls that send and receive, of all ranks, without waiting.

    Calls of which it is unknown what they waited for are taken to be like those of which it is known.
    """
    seconds = sum(
        row.totals.seconds
        for row in seen.procedures
        if row.procedure in WAITING or row.procedure_class in ("point-to-point", "one-sided", "starting")
    )
    messages = seen.messages
    certain = messages.seconds * messages.percent_certain / 100
    late = messages.late_sender_seconds + messages.late_receiver_seconds
    return max(seconds - (late * messages.seconds / certain if certain else 0.0), 0.0)


def how_sure(seen: Evidence, otherwise: str) -> tuple[str, str]:
    """Return the confidence of `spared`, and why: little, if of most messages the waiting is unknown.

    Args:
        seen: what is known of the run.
        otherwise: what else makes it unsure.
    """
    if seen.messages.percent_certain >= MOSTLY_CERTAIN:
        return MEDIUM, otherwise
    share = percent_text(seen.messages.percent_certain)
    return LOW, f"{otherwise}; only {share} % of the time in messages is classified"
