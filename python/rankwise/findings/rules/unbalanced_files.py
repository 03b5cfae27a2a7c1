"""Some ranks spend much longer in MPI-IO than others."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.calls.files import file_seconds
from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import LOW, MEDIUM, Command, Fact, Finding, Rule
from rankwise.text.units import second_text

_MUCH_MORE = 1.5  # times the mean


def _find(profile: Evidence) -> Sequence[Finding]:
    seconds = file_seconds(profile.connection)
    ranks = len(seconds)
    if ranks < 2:
        return []
    mean, most = sum(seconds.values()) / ranks, max(seconds.values())
    if not most or most < _MUCH_MORE * mean:
        return []
    rank = min(number for number, value in seconds.items() if value == most)
    alone = sum(1 for value in seconds.values() if value > 0) == 1
    return [
        Finding(
            rule=RULE.id,
            subject=f"rank {rank}",
            title=f"Rank {rank} reads and writes files for {second_text(most)}, {most / mean:.2f} x the mean"
            + (": no other rank does" if alone else ""),
            saved_seconds=(most - mean) * ranks,
            upper_bound=True,
            formula=RULE.formula,
            inputs=[
                Fact("longest time of a rank", most, "s"),
                Fact("mean time of a rank", mean, "s"),
                Fact("ranks", ranks),
            ],
            evidence=[Fact("files", len(profile.files))],
            confidence=MEDIUM if alone else LOW,
            why_confidence="others wait for it only if they need it or the data it reads",
            command=Command("show", ("--by", "file", "-v")),
        )
    ]


RULE = Rule(
    "unbalanced-files",
    "Some ranks read and write files for much longer than others.",
    f"A rank's time in independent MPI-IO calls is at least {_MUCH_MORE} x the mean of all ranks. "
    "Collective access does not count, because ranks wait for each other in it.",
    "(maximum - mean time in these calls) x ranks",
    "Let all ranks read and write, with MPI_File_write_all and similar calls, in fewer and larger accesses.",
    _find,
    order=130,
)
