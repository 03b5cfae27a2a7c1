"""Messages that are a little too large for the MPI library to buffer: their senders wait."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.messages.sends import buffering
from rankwise.findings.finding import LOW, MEDIUM, Command, Fact, Finding, NoAnswer, Rule
from rankwise.findings.processors import crowded
from rankwise.mpi_libraries import LIBRARIES
from rankwise.text.units import byte_text, percent_text, second_text

_LITTLE = 4  # times the largest buffered one
_OFTEN = 0.1  # of the sends


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    library = LIBRARIES.get(profile.run.mpi_abi)
    usual = library.eager_within_node if library and profile.run.nodes == 1 else 0
    buffered = buffering(profile.connection, usual)
    if not buffered.sampled:
        return NoAnswer("the sample of waits has no send with both sides recorded")
    if math.isinf(buffered.rendezvous):
        return NoAnswer("for no message size is it proven that sends wait for their receivers")
    if buffered.largest_buffered is None:
        return NoAnswer("no send ended before its receive was posted: the eager limit is unknown")
    near = [row for row in buffered.sizes if row[0] <= _LITTLE * max(buffered.largest_buffered, 1)]
    count, waited = sum(row[1] for row in near), sum(row[2] for row in near)
    if not waited or count < _OFTEN * buffered.sampled:
        return []
    seconds = profile.messages.late_receiver_seconds * waited / buffered.waited_seconds
    confidence = MEDIUM
    why = f"based on {buffered.sampled} sends in the sample; waiting may move to the receivers"
    if crowded(profile) or profile.shortages.preempted:
        confidence, why = LOW, "some ranks lacked a processor at times, which alone may make receivers late"
    sizes = byte_text(near[0][0])
    if len(near) > 1:
        sizes += f" to {byte_text(near[-1][0])}"
    return [
        Finding(
            rule=RULE.id,
            title=f"Messages of {sizes} wait {second_text(seconds)} for their receivers because they are "
            f"too large to be buffered (up to {byte_text(buffered.largest_buffered)})",
            saved_seconds=seconds,
            upper_bound=True,
            formula=RULE.formula,
            inputs=[
                Fact("waiting for receivers", profile.messages.late_receiver_seconds, "s"),
                Fact("share of such messages in the sample", 100 * waited / buffered.waited_seconds, "%"),
            ],
            evidence=[
                Fact("largest message that is buffered", buffered.largest_buffered, "B"),
                Fact("such messages, share of all sends in the sample", 100 * count / buffered.sampled, "%"),
            ],
            confidence=confidence,
            why_confidence=why,
            command=Command("tune parameters"),
        )
    ]


RULE = Rule(
    "eager-threshold",
    "Messages slightly above the eager limit of the MPI library, whose senders wait (rendezvous).",
    f"At least {percent_text(100 * _OFTEN)} % of the sampled sends are larger than the largest buffered "
    f"one, by up to {_LITTLE} x, and such sends provably wait for their receivers.",
    "waiting for receivers x share of such messages",
    "Let `rankwise tune parameters` try a larger eager limit (btl_vader_eager_limit or"
    " btl_tcp_eager_limit of Open MPI 4, btl_sm_eager_limit of 5, UCX_RNDV_THRESH of UCX); or post"
    " receives earlier.",
    _find,
    order=60,
)
