"""A sentence or two on the limit of a run, by the rules below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.analysis.summary import Summary
from rankwise.analysis.timing.parts import FILES, TRANSFER, UNKNOWN, WAITING, Part
from rankwise.findings.late import late
from rankwise.findings.search import Findings
from rankwise.findings.texts import late_text
from rankwise.records import dataclass
from rankwise.text.empty import NO_CALLS, NO_RANKS, NOTHING_BETWEEN
from rankwise.text.hang import LEAST_PERCENT, hang_sentence
from rankwise.text.units import number_of, percent_text

_LITTLE_MPI = 10.0  # percent of the run
_HALF = 50.0  # percent of the time in MPI
_MAY_BE_SHORTAGE = "; part of this may come from the same shortage"
PROCESSORS = ("oversubscribed", "badly-bound", "preempted")
"""Rules on how ranks get processors."""


@dataclass(frozen=True)
class Known:
    """The run that a verdict is about.

    Attributes:
        summary: of the run.
        profile: the facts of the run.
        findings: of the rules.
        parts: of its time.
    """

    summary: Summary
    profile: Evidence
    findings: Findings
    parts: Sequence[Part]

    def part(self, name: str) -> Part:
        """Return one of the parts."""
        return next(part for part in self.parts if part.name == name)


@dataclass(frozen=True)
class VerdictRule:
    """One rule; the first that holds makes the verdict.

    Attributes:
        limit: in a word or two.
        when: it holds, with its thresholds.
        say: returns the sentence without its full stop, '' if the rule does not hold.
        then: begins the sentence of the next rule that holds, as this rule hides no other limit; '' = it ends
            the verdict.
        of_mpi: whether it is about the time in MPI, which is longer for ranks that lack processors.
    """

    limit: str
    when: str
    say: Callable[[Known], str]
    then: str = ""
    of_mpi: bool = False


@dataclass(frozen=True)
class Verdict:
    """The limit of a run.

    Attributes:
        limit: in a word or two.
        text: a sentence or two.
    """

    limit: str
    text: str


def verdict(known: Known) -> Verdict:
    """Return the limit of a run."""
    said: list[VerdictRule] = []
    sentences: list[str] = []
    for rule in VERDICTS:
        if sentence := rule.say(known):
            begins = f"{said[-1].then}, {_within(sentence)}" if said else sentence
            is_doubtful = rule.of_mpi and any(earlier.limit == "processors" for earlier in said)
            sentences.append(f"{begins}{_MAY_BE_SHORTAGE if is_doubtful else ''}.")
            said.append(rule)
            if not rule.then:
                break
    return Verdict(said[0].limit, " ".join(sentences))


def _hang(of: Known) -> str:
    return hang_sentence(of.summary.hang)


def _no_counters(of: Known) -> str:
    return NO_RANKS.rstrip(".") if of.summary.times.most_in_mpi is None else ""


def _partial(of: Known) -> str:
    trust = of.summary.trust
    if trust.complete:
        return ""
    missing = trust.ranks_expected - trust.ranks_seen
    if not missing:
        return "The run ended early"
    return f"The run ended early, and the counters of {number_of(missing, 'rank')} are missing"


def _nothing(of: Known) -> str:
    if of.summary.calls:
        return ""
    return (NOTHING_BETWEEN if of.summary.opening_and_closing else NO_CALLS).rstrip(".")


def _processors(of: Known) -> str:
    for entry in of.findings.found:
        if entry.finding.rule in PROCESSORS and entry.saved_percent_of_run >= _LITTLE_MPI:
            return f"The processors limit the run: {_within(entry.finding.title)}"
    return ""


def _computing(of: Known) -> str:
    in_mpi = of.summary.times.mpi_percent_of_run
    if in_mpi >= _LITTLE_MPI:
        return ""
    return f"The run is mostly computing: MPI takes {percent_text(in_mpi)} % of it"


def _alone(of: Known) -> str:
    if of.profile.run.ranks > 1:
        return ""
    return f"A single rank waits for no other rank: its MPI calls take {_of_run(of.summary)}"


def _files(of: Known) -> str:
    time = of.profile.time_in_mpi
    if percent(time.files_seconds, time.seconds) < _HALF:
        return ""
    return f"Most of the time in MPI is MPI-IO: {_share(of.part(FILES))} % of the run"


def _waiting(of: Known) -> str:
    time = of.profile.time_in_mpi
    if percent(time.waiting_seconds, time.seconds) < _HALF:
        return ""
    share = f"Most of the time in MPI is waiting: {_share(of.part(WAITING))} % of the run"
    those = late(of.profile)
    if those is None:
        return f"{share}; no rank stands out as late"
    caused = percent_text(100 * those.share)
    return f"{share}; {late_text(those)} caused {'all' if caused == '100.0' else f'{caused} %'} of this"


def _moving(of: Known) -> str:
    time = of.profile.time_in_mpi
    if percent(time.moving_seconds, time.seconds) < _HALF:
        return ""
    return f"Most of the time in MPI is transfer: {_share(of.part(TRANSFER))} % of the run"


def _unknown(of: Known) -> str:
    time = of.profile.time_in_mpi
    if percent(time.unknown_seconds, time.seconds) < _HALF:
        return ""
    share = percent_text(percent(time.unknown_seconds, time.seconds))
    by_clocks = of.profile.unknown.reason == "clocks not compared"
    clocks = " because the clocks of the nodes were not compared (see --clock-sync)" if by_clocks else ""
    return f"MPI takes {_of_run(of.summary)}, but {share} % of this is unclassified" + clocks


def _mixed(of: Known) -> str:
    names = {WAITING: "waiting", TRANSFER: "transfer", FILES: "MPI-IO", UNKNOWN: "unclassified"}
    parts = {name: of.part(part) for part, name in names.items()}
    shares = ", ".join(f"{name} {_share(part)} %" for name, part in parts.items() if part.percent_of_run > 0)
    return f"MPI takes {_of_run(of.summary)}, for several reasons: {shares}"


def _within(title: str) -> str:
    """Return a title as a part of a sentence: `Rank 3 lost ...` → `rank 3 lost ...`."""
    first, second = title[:1], title[1:2]
    return (first.lower() if second.islower() or second == " " else first) + title[1:]


def _of_run(summary: Summary) -> str:
    return f"{percent_text(summary.times.mpi_percent_of_run)} % of the run"


def _share(part: Part) -> str:
    """Return the share of the run that a part has; estimates are marked with ~."""
    return "~" * part.is_estimate + percent_text(part.percent_of_run)


VERDICTS = (
    VerdictRule(
        "standing still",
        "the run did not finish, and the finding hang says why: a deadlock, or waiting for "
        f"{LEAST_PERCENT:.0f} % of the run or more",
        _hang,
    ),
    VerdictRule("no counters", "no rank's counters could be read", _no_counters),
    VerdictRule(
        "the end",
        "some rank did not finish MPI_Finalize; the next rule that holds adds a sentence",
        _partial,
        then="Until then",
    ),
    VerdictRule("nothing", "no call of MPI was recorded between MPI_Init and MPI_Finalize", _nothing),
    VerdictRule(
        "processors",
        f"a finding on processors ({', '.join(PROCESSORS)}) could save at least {_LITTLE_MPI:.0f} % of the "
        "run; the next rule that holds adds a sentence",
        _processors,
        then="In addition",
    ),
    VerdictRule("computing", f"MPI takes less than {_LITTLE_MPI:.0f} % of the run", _computing),
    VerdictRule("one rank", "there is only one rank", _alone),
    VerdictRule("MPI-IO", f"MPI-IO is at least {_HALF:.0f} % of the time in MPI", _files),
    VerdictRule(
        "waiting",
        f"at least {_HALF:.0f} % of the time in MPI is waiting; the late ranks are those of the finding "
        "late-ranks",
        _waiting,
        of_mpi=True,
    ),
    VerdictRule("transfer", f"at least {_HALF:.0f} % of the time in MPI is transfer", _moving, of_mpi=True),
    VerdictRule("MPI", f"at least {_HALF:.0f} % of the time in MPI is unclassified", _unknown),
    VerdictRule("MPI, mixed", "none of the above holds", _mixed, of_mpi=True),
)
"""In their order."""
