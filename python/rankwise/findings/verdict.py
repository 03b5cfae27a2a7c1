"""One sentence on what limits a run, by rules that are written down with it."""

from __future__ import annotations

from collections.abc import Callable

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.analysis.summary import Summary
from rankwise.cpulist import cpu_text
from rankwise.findings.late import Late, late
from rankwise.findings.search import Findings
from rankwise.records import dataclass
from rankwise.text.empty import NO_CALLS, NO_RANKS, NOTHING_BETWEEN
from rankwise.text.hang import LEAST_PERCENT, hang_sentence
from rankwise.text.last_calls import place_text
from rankwise.text.units import number_of, percent_text

_LITTLE_MPI = 10.0  # percent of the run
_HALF = 50.0  # percent of the time in MPI
_PROCESSORS = ("oversubscribed", "badly-bound", "preempted")


@dataclass(frozen=True)
class Known:
    """The run that a verdict is about.

    Attributes:
        summary: of the run.
        seen: what is known of it.
        findings: of the rules.
    """

    summary: Summary
    seen: Evidence
    findings: Findings


@dataclass(frozen=True)
class VerdictRule:
    """One rule; the first one that holds makes the verdict.

    Attributes:
        limit: what limits, in a word or two.
        when: it holds, with its thresholds.
        say: returns the sentence without its full stop, '' where the rule does not hold.
    """

    limit: str
    when: str
    say: Callable[[Known], str]


def verdict(found: Summary, seen: Evidence, told: Findings) -> str:
    """Return what limits the run, one sentence.

    Args:
        found: the summary of the run.
        seen: what is known of it.
        told: what rules have found.
    """
    known = Known(found, seen, told)
    return next(filter(None, (rule.say(known) for rule in VERDICTS))) + "."


def _hang(of: Known) -> str:
    return hang_sentence(of.summary.hang)


def _partial(of: Known) -> str:
    trust = of.summary.trust
    if trust.complete:
        return ""
    if of.summary.times.most_in_mpi is None:
        return NO_RANKS.rstrip(".")
    lost = sum(place.count for place in of.summary.places if place.state != "finalized")
    first = next((place for place in of.summary.places if place.state != "finalized"), None)
    if first is None:
        return "The run did not come to its end"
    share = "all" if lost == trust.ranks_expected else f"{lost}"
    ended = f"{'rank' if first.count == 1 else 'ranks'} {first.ranks} ended in: {place_text(first)}"
    return f"The run did not come to its end on {share} of {number_of(trust.ranks_expected, 'rank')}; {ended}"


def _nothing(of: Known) -> str:
    if of.summary.calls:
        return ""
    return (NOTHING_BETWEEN if of.summary.opening_and_closing else NO_CALLS).rstrip(".")


def _processors(of: Known) -> str:
    first = of.findings.found[0] if of.findings.found else None
    if first is None or first.finding.rule not in _PROCESSORS or first.saved_percent_of_run < _LITTLE_MPI:
        return ""
    return f"The processors limit the run: {_within(first.finding.title)}"


def _computing(of: Known) -> str:
    in_mpi = of.summary.times.mpi_percent_of_run
    if in_mpi >= _LITTLE_MPI:
        return ""
    return f"Computing limits the run, not communication: MPI takes {percent_text(in_mpi)} % of it"


def _alone(of: Known) -> str:
    if of.seen.run.ranks > 1:
        return ""
    return f"A single rank has nobody to wait for: its calls of MPI take {_of_run(of.summary)}"


def _files(of: Known) -> str:
    time = of.seen.time_in_mpi
    if percent(time.files_seconds, time.seconds) < _HALF:
        return ""
    return f"MPI-IO limits the run: it takes {_part(of, time.files_seconds)} % of it"


def _waiting(of: Known) -> str:
    time = of.seen.time_in_mpi
    if percent(time.waiting_seconds, time.seconds) < _HALF:
        return ""
    share = f"{_part(of, time.waiting_seconds)} % of it"
    those = late(of.seen)
    if those is None:
        return f"Waiting limits the run: {share}, for no ranks in particular, now these are late, now those"
    return f"Waiting limits the run: {share}, {percent_text(100 * those.share)} % of that for {_who(those)}"


def _moving(of: Known) -> str:
    time = of.seen.time_in_mpi
    if percent(time.moving_seconds, time.seconds) < _HALF:
        return ""
    return f"Moving data limits the run: transfer takes {_part(of, time.moving_seconds)} % of it"


def _unknown(of: Known) -> str:
    time = of.seen.time_in_mpi
    if percent(time.unknown_seconds, time.seconds) < _HALF:
        return ""
    share = percent_text(percent(time.unknown_seconds, time.seconds))
    by_clocks = of.seen.unknown.reason == "clocks not compared"
    clocks = ", as the clocks of the nodes were not compared: --clock-sync does it" if by_clocks else ""
    return (
        f"MPI limits the run: it takes {_of_run(of.summary)}, but of {share} % of that it is not known"
        " whether ranks waited" + clocks
    )


def _mixed(of: Known) -> str:
    time = of.seen.time_in_mpi
    parts = {
        "waiting": time.waiting_seconds,
        "transfer": time.moving_seconds,
        "MPI-IO": time.files_seconds,
        "not told apart": time.unknown_seconds,
    }
    shares = ", ".join(f"{name} {_part(of, seconds)} %" for name, seconds in parts.items() if seconds > 0)
    return f"MPI takes {_of_run(of.summary)}, for several reasons: {shares}"


def _within(title: str) -> str:
    """Return a title as a part of a sentence: `Rank 3 lost ...` → `rank 3 lost ...`."""
    first, second = title[:1], title[1:2]
    return (first.lower() if second.islower() or second == " " else first) + title[1:]


def _who(those: Late) -> str:
    ranks = f"{'ranks' if len(those.ranks) > 1 else 'rank'} {cpu_text(those.ranks)}"
    return f"{ranks} of {those.node}" if those.node else ranks


def _of_run(found: Summary) -> str:
    return f"{percent_text(found.times.mpi_percent_of_run)} % of the run"


def _part(of: Known, seconds: float) -> str:
    """Return the share of the run that a part of the time in MPI has; estimates are marked with ~."""
    time = of.seen.time_in_mpi
    is_estimate = time.is_estimate and seconds not in (time.files_seconds, time.seconds)
    share = percent_text(percent(seconds, time.seconds) * of.summary.times.mpi_percent_of_run / 100)
    return "~" * is_estimate + share


VERDICTS = (
    VerdictRule(
        "standing still",
        "the run did not come to its end, and the finding hang says why: a deadlock, or waiting for"
        f" {LEAST_PERCENT:.0f} % of the run or more",
        _hang,
    ),
    VerdictRule("the end", "some rank did not come to the end of MPI_Finalize", _partial),
    VerdictRule("nothing", "no call of MPI was recorded between MPI_Init and MPI_Finalize", _nothing),
    VerdictRule(
        "processors",
        f"the first finding is one on processors ({', '.join(_PROCESSORS)}), worth"
        f" {_LITTLE_MPI:.0f} % of the run or more",
        _processors,
    ),
    VerdictRule("computing", f"MPI takes less than {_LITTLE_MPI:.0f} % of the run", _computing),
    VerdictRule("one rank", "there is one rank only", _alone),
    VerdictRule("MPI-IO", f"MPI-IO is {_HALF:.0f} % of the time in MPI or more", _files),
    VerdictRule(
        "waiting",
        f"{_HALF:.0f} % of the time in MPI or more is waiting; for whom: those of the finding late-ranks",
        _waiting,
    ),
    VerdictRule("transfer", f"{_HALF:.0f} % of the time in MPI or more is transfer", _moving),
    VerdictRule(
        "MPI", f"of {_HALF:.0f} % of the time in MPI or more it is not known who waited for whom", _unknown
    ),
    VerdictRule("MPI, mixed", "none of these holds", _mixed),
)
"""In their order."""
