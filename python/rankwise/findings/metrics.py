"""Definition, formula, source and value of each metric."""

from __future__ import annotations

from collections.abc import Callable

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.analysis.timing.efficiency import Split
from rankwise.findings.finding import Fact, NoAnswer
from rankwise.records import dataclass
from rankwise.text.empty import why_no_arrivals

POP = "POP Standard Metrics for Parallel Performance Analysis, https://pop-coe.eu/node/69"
OURS = "docs/explanation/waiting.md"
_NO_TIME = NoAnswer("no rank had time between MPI_Init and MPI_Finalize")


@dataclass(frozen=True)
class Metric:
    """A number that a profile gives.

    Attributes:
        name: as `rankwise explain` takes it.
        meaning: its definition.
        formula: how it is calculated.
        source: of the definition.
        value: for a profile, or why it is unknown.
    """

    name: str
    meaning: str
    formula: str
    source: str
    value: Callable[[Evidence], Fact | NoAnswer]


def _of_run(what: str, attribute: str) -> Callable[[Evidence], Fact | NoAnswer]:
    def value(profile: Evidence) -> Fact | NoAnswer:
        efficiency = profile.efficiency
        return Fact(what, getattr(efficiency, attribute), "x") if efficiency else _NO_TIME

    return value


def _of_split(value: Callable[[Split], Fact]) -> Callable[[Evidence], Fact | NoAnswer]:
    def of_profile(profile: Evidence) -> Fact | NoAnswer:
        efficiency = profile.efficiency
        if efficiency is None:
            return _NO_TIME
        return value(efficiency.split) if efficiency.split else NoAnswer(efficiency.why_no_split)

    return of_profile


def _waiting(profile: Evidence) -> Fact | NoAnswer:
    if profile.waiting is None or not profile.waiting.kept:
        return NoAnswer(why_no_arrivals(profile.unknown))
    return Fact("waiting in collectives, summed over ranks", profile.waiting.waiting.seconds, "s")


def _transfer_time(profile: Evidence) -> Fact | NoAnswer:
    if profile.waiting is None or not profile.waiting.kept:
        return NoAnswer(why_no_arrivals(profile.unknown))
    return Fact("transfer in collectives, summed over ranks", profile.waiting.transfer_seconds, "s")


def _messages(what: str, attribute: str) -> Callable[[Evidence], Fact | NoAnswer]:
    def value(profile: Evidence) -> Fact | NoAnswer:
        if not any(row.certain for row in profile.messages.waiting):
            return NoAnswer("no receive, wait or blocking send could be classified")
        return Fact(what, getattr(profile.messages, attribute), "s")

    return value


def _imbalance(profile: Evidence) -> Fact | NoAnswer:
    efficiency = profile.efficiency
    if efficiency is None:
        return _NO_TIME
    lost = (efficiency.useful_most_seconds - efficiency.useful_mean_seconds) * efficiency.ranks
    return Fact("time lost to imbalance, summed over ranks", lost, "s")


def _in_mpi(profile: Evidence) -> Fact | NoAnswer:
    if not profile.seconds:
        return _NO_TIME
    threads = sum(rank.run_seconds * max(rank.threads, 1) for rank in profile.ranks)
    return Fact(
        "time in MPI, share of the run time",
        percent(sum(rank.seconds for rank in profile.ranks), threads),
        "%",
    )


METRICS = (
    Metric(
        "parallel-efficiency",
        "The share of all ranks' run time that is useful, that is, spent outside of MPI. The rest is lost "
        "to load imbalance and communication.",
        "mean useful time of the ranks / run time = load-balance x communication-efficiency",
        POP,
        _of_run("parallel efficiency", "parallel"),
    ),
    Metric(
        "load-balance",
        "How evenly useful time is distributed: 1 if all ranks compute for the same time.",
        "mean useful time of the ranks / largest useful time of any rank",
        POP,
        _of_run("load balance", "load_balance"),
    ),
    Metric(
        "communication-efficiency",
        "The share of the run time that the rank with the most useful time spends outside of MPI.",
        "largest useful time of any rank / run time = serialisation x transfer",
        POP,
        _of_run("communication efficiency", "communication"),
    ),
    Metric(
        "serialisation",
        "Serialisation efficiency: 1 if no rank waits because of dependencies, low if ranks wait for each "
        "other step by step, even if their work is evenly distributed. This is an estimate. POP replays "
        "a trace on an ideal network; Rankwise replays the calls in its samples, or subtracts the transfer "
        "from the run time.",
        "largest useful time of any rank / run time on an ideal network; that is the run time minus the mean "
        "transfer time, including waiting for ranks that transfer delayed",
        POP,
        _of_split(lambda split: Fact("serialisation", split.serialisation, "x")),
    ),
    Metric(
        "transfer",
        "Transfer efficiency: 1 if moving data takes no time. The loss is in the network and in the MPI "
        "library, including waiting for ranks that transfer delayed. This is an estimate, as is "
        "serialisation. Unclassified calls are assumed to behave like classified ones.",
        "run time on an ideal network / run time",
        POP,
        _of_split(lambda split: Fact("transfer", split.transfer, "x")),
    ),
    Metric(
        "useful-time",
        "Time of a rank outside of MPI, between MPI_Init and MPI_Finalize: computing and everything else "
        "that is not an MPI call, such as other I/O. With several threads: their mean.",
        "run time - time in MPI / threads that call MPI",
        POP,
        lambda profile: (
            Fact("useful time, mean of the ranks", profile.efficiency.useful_mean_seconds, "s")
            if profile.efficiency
            else _NO_TIME
        ),
    ),
    Metric(
        "run-time",
        "Time between MPI_Init and MPI_Finalize of the rank that takes longest. The two calls are not "
        "included.",
        "start of MPI_Finalize - end of MPI_Init",
        "docs/reference/profile-format.md",
        lambda profile: Fact("run time", profile.efficiency.seconds, "s") if profile.efficiency else _NO_TIME,
    ),
    Metric(
        "mpi-time",
        "The share of all ranks' run time that is spent in MPI.",
        "time in MPI / (run time x threads that call MPI), summed over ranks",
        "docs/reference/profile-format.md",
        _in_mpi,
    ),
    Metric(
        "imbalance",
        "The time that an even distribution of useful time could save, summed over ranks. (In tables, "
        "imbalance is the maximum divided by the mean.)",
        "(largest useful time of any rank - mean useful time) x ranks",
        POP,
        _imbalance,
    ),
    Metric(
        "waiting",
        "Time in collectives until the last rank that the waiting rank depends on has arrived. Estimated "
        "from a sample of calls.",
        "sum over calls and ranks of min(arrival of the last needed rank - own arrival, time in the call)",
        OURS,
        _waiting,
    ),
    Metric(
        "transfer-time",
        "Time in collectives that is not waiting for late ranks.",
        "time in collectives - waiting",
        OURS,
        _transfer_time,
    ),
    Metric(
        "late-sender",
        "Time in receives and waits before the sender has started to send.",
        "sum of min(time of the send - start of the call, time in the call)",
        OURS,
        _messages("waiting for late senders, summed over ranks", "late_sender_seconds"),
    ),
    Metric(
        "late-receiver",
        "Time in unbuffered sends before the receiver has posted its receive.",
        "sum of min(time the receive was posted - start of the call, time in the call)",
        OURS,
        _messages("waiting for late receivers, summed over ranks", "late_receiver_seconds"),
    ),
)
