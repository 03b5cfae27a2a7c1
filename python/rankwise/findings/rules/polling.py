"""The program polls: it asks very often whether something has arrived."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.findings.finding import LOW, Command, Fact, Finding, Rule
from rankwise.text.names import call_name
from rankwise.text.units import count_text, percent_text, rate_text

_ASKING = ("MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status", "MPI_Win_test", "MPI_Parrived")
_OFTEN = 1000.0  # times a second
_LEAST = 1000  # calls: very short runs show nothing


def _find(profile: Evidence) -> Sequence[Finding]:
    rows = [row for row in profile.procedures if _asks(row.procedure)]
    calls, seconds = (sum(getattr(row.totals, name) for row in rows) for name in ("calls", "seconds"))
    if not seconds or not profile.seconds or calls < _LEAST or calls / profile.seconds < _OFTEN:
        return []
    call_seconds = _asking_seconds(profile)
    price = min(calls * call_seconds, seconds) if call_seconds else seconds
    names = [call_name(row.procedure) for row in sorted(rows, key=lambda row: -row.totals.calls)]
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    rate = rate_text(calls / profile.seconds)
    part = percent_text(percent(seconds, profile.seconds))
    mostly_waiting = (
        ", most of it waiting or data movement rather than the cost of polling" if price < seconds / 2 else ""
    )
    return [
        Finding(
            rule=RULE.id,
            title=f"The program polls: {count_text(calls)} calls of {names[0]}{others},"
            f" {rate} a second on each rank, {part} % of the run{mostly_waiting}",
            saved_seconds=price,
            upper_bound=True,
            formula=RULE.formula,
            inputs=[Fact("calls", calls), Fact("time to record a call", call_seconds, "s")],
            evidence=[
                Fact(f"time in {', '.join(names)}", seconds, "s"),
                Fact("calls per second of run time", calls / profile.seconds),
            ],
            confidence=LOW,
            why_confidence="if a rank has nothing else to do, polling costs nothing: it would wait as long",
            command=Command("show", ("--by", "call", "--call", ",".join(names))),
        )
    ]


def _asking_seconds(profile: Evidence) -> float:
    """Return the time of a call that finds nothing, about that of recording a call; 0 = unknown."""
    (seconds,) = profile.connection.execute("SELECT TOTAL(overhead - setup_overhead) FROM ranks").fetchone()
    return float(seconds) / profile.run.calls if profile.run.calls else 0.0


def _asks(procedure: str) -> bool:
    return procedure.startswith(_ASKING)


RULE = Rule(
    "polling",
    "Very frequent calls that test for completion or messages.",
    f"At least {_OFTEN:.0f} calls of MPI_Test*, MPI_Iprobe and similar per second of all ranks' run time, "
    f"and at least {_LEAST} in total.",
    "calls x time of a call that finds nothing, which is about the time to record it; at most the time in "
    "these calls. The remaining time is waiting, which would be as long without polling, or data movement",
    "Use MPI_Wait or MPI_Probe if there is nothing else to do. Otherwise poll less often.",
    _find,
    order=110,
)
