"""Very many messages of a few bytes each: sending takes the time, not the data."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.messages.sends import small_sends
from rankwise.findings.finding import LOW, MEDIUM, Command, Fact, Finding, Rule
from rankwise.text.units import count_text, percent_text, rate_text

_BIN = 8  # up to 255 bytes
_MOST_OF_ALL = 0.5
_OFTEN = 1000.0  # a second
_RATHER_SURE = 10_000.0


def _find(profile: Evidence) -> Sequence[Finding]:
    small = small_sends(profile.connection, _BIN)
    rate = small.calls / profile.seconds if profile.seconds else 0.0
    if not small.calls or small.calls < _MOST_OF_ALL * small.all_calls or rate < _OFTEN:
        return []
    share = percent_text(100 * small.calls / small.all_calls)
    return [
        Finding(
            rule=RULE.id,
            title=f"{share} % of {count_text(small.all_calls)} messages have at most {small.most} bytes, "
            f"{rate_text(rate)} per second from each rank",
            saved_seconds=small.seconds,
            upper_bound=True,
            formula=RULE.formula,
            inputs=[Fact(f"time in calls that only send at most {small.most} bytes", small.seconds, "s")],
            evidence=[
                Fact(f"sends of at most {small.most} bytes", small.calls),
                Fact("all sends with data", small.all_calls),
            ],
            confidence=MEDIUM if rate >= _RATHER_SURE else LOW,
            why_confidence="only the program's author knows whether they can be sent together",
            command=Command("show", ("--by", "size")),
        )
    ]


RULE = Rule(
    "tiny-messages",
    "Very many messages with few bytes.",
    f"At least half of the messages have at most {2**_BIN - 1} bytes, and each rank sends at least "
    f"{_OFTEN:.0f} of them per second.",
    "the time in calls that only send them; excluded are savings of the receivers, and MPI_Sendrecv, which "
    "also waits for a message",
    "Combine messages to the same rank.",
    _find,
    order=100,
)
