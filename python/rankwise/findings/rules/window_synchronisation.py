"""Much time in calls that open and close epochs of one-sided communication, or create its windows."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.calls.making import Cost, costs, made_again
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.findings.finding import LOW, Command, Fact, Finding, NoAnswer, Rule
from rankwise.findings.places import where
from rankwise.records import dataclass
from rankwise.text.names import call_name
from rankwise.text.units import percent_text, rate_text, second_text

_SHARE = 5.0  # percent of the run


@dataclass(frozen=True)
class _Kind:
    """One way to synchronise.

    Attributes:
        name: for the title.
        calls: its procedures.
        together: whether all ranks of the window call them together, so that waiting can be subtracted.
        why: how certain the saving is.
    """

    name: str
    calls: tuple[str, ...]
    together: bool
    why: str


_KINDS = (
    _Kind(
        "Fences",
        ("MPI_Win_fence",),
        together=True,
        why="a fence also completes the transfers of its epoch",
    ),
    _Kind(
        "Locks and flushes",
        (
            *("MPI_Win_lock", "MPI_Win_lock_all", "MPI_Win_unlock", "MPI_Win_unlock_all"),
            *("MPI_Win_flush", "MPI_Win_flush_all", "MPI_Win_flush_local", "MPI_Win_flush_local_all"),
            "MPI_Win_sync",
        ),
        together=False,
        why="they also complete transfers and wait for targets that are outside of MPI: how long is unknown",
    ),
    _Kind(
        "Post, start, complete and wait",
        ("MPI_Win_post", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait", "MPI_Win_test"),
        together=False,
        why="they also complete transfers and wait for the other side: how long is unknown",
    ),
    _Kind(
        "Creating and freeing windows",
        (
            *("MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create", "MPI_Win_create_dynamic"),
            "MPI_Win_free",
        ),
        together=True,
        why="only the program's author knows how many windows it needs",
    ),
)
_MAKING = _KINDS[-1]


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    if not profile.seconds:
        return NoAnswer("no rank had time between MPI_Init and MPI_Finalize")
    known = costs(profile.connection)
    return [finding for kind in _KINDS if (finding := _finding(profile, kind, known))]


def _finding(profile: Evidence, kind: _Kind, known: dict[str, Cost]) -> Finding | None:
    calls = {name: known[name] for name in kind.calls if name in known}
    seconds = sum(cost.seconds for cost in calls.values())
    saved = sum(cost.bound_seconds if kind.together else cost.seconds for cost in calls.values())
    if kind is _MAKING:
        saved *= _neither_first_nor_again(profile)
    if not saved or percent(saved, profile.seconds) < _SHARE:
        return None
    names = sorted(calls, key=lambda name: -calls[name].seconds)
    number = sum(cost.calls for cost in calls.values())
    place = where(profile.connection, names[:1])
    inputs = [Fact("time in these calls", seconds, "s")]
    if kind.together:
        inputs.append(Fact("without waiting for late ranks, at most", saved, "s"))
    return Finding(
        rule=RULE.id,
        subject=kind.name,
        title=f"{kind.name} take {percent_text(percent(seconds, profile.seconds))} % of the run, most of it "
        f"{call_name(names[0])}{place.text}: {rate_text(number / profile.seconds)} calls per second on "
        f"each rank, {second_text(seconds / number)} each",
        saved_seconds=saved,
        upper_bound=True,
        formula=RULE.formula,
        inputs=inputs,
        evidence=[*(Fact(call_name(name), calls[name].seconds, "s") for name in names), *place.facts],
        confidence=LOW,
        why_confidence=kind.why,
        command=Command("show", ("--by", "site", "--call", ",".join(call_name(name) for name in names))),
    )


def _neither_first_nor_again(profile: Evidence) -> float:
    """Return the share of windows that could be saved, without those of communicators-again."""
    query = "SELECT COUNT(*) FROM communicators WHERE type = 'window'"
    (number,) = profile.connection.execute(query).fetchone()
    again = sum(repeated.again for repeated in made_again(profile.connection) if repeated.type == "window")
    return max(int(number) - again - 1, 0) / max(int(number), 1)


RULE = Rule(
    "window-synchronisation",
    "Much time in calls that synchronise one-sided communication or create its windows.",
    "Fences, locks and flushes, post-start-complete-wait, or creating and freeing windows take at least "
    f"{_SHARE:.0f} % of the run.",
    "the time in these calls; for fences and the creation of windows at most the ranks x the time of the "
    "fastest rank, because the others may have waited for it; the first window and those of the finding "
    "communicators-again do not count",
    "Fences: use fewer, with more accesses in each epoch, or post-start-complete-wait among the ranks "
    "involved. Locks and flushes: lock all once for the whole run; flush once for many accesses, only the "
    "target you need, and locally if only the buffer matters; let the library make progress (a thread, or "
    "MPI calls while computing). Post-start-complete-wait: post early, and compute between complete and "
    "wait. Windows: create few large ones and keep them.",
    _find,
    order=65,
)
