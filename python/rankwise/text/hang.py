"""Why a job stands still, in words."""

from __future__ import annotations

from rankwise.analysis.hangs.model import ENDED, MISMATCH, Hang, Step
from rankwise.analysis.hangs.waits import FINALIZE, MESSAGE, RECEIVE
from rankwise.profile.join.waiting import ANY
from rankwise.text.units import count_text, second_text

_MOST_STEPS = 4
_WHERE = {  # by the state: of one rank, of several
    "outside": ("is outside of MPI", "are outside of MPI"),
    "starting": ("is in MPI_Init", "are in MPI_Init"),
    "no counters": ("has left no counters", "have left no counters"),
    "switched off": ("is no longer recorded", "are no longer recorded"),
}

LEAST_PERCENT = 10.0
"""Of the run, in which ranks waited at its end: with less, it says little, unless it is a deadlock."""


def hang_sentence(found: Hang | None) -> str:
    """Return why a run stood still at its end, without the full stop; '' if that is not worth a sentence."""
    if found is None or not (found.is_deadlock or (found.lost_percent_of_run or 0.0) >= LEAST_PERCENT):
        return ""
    text = hang_text(found)
    return text[:1].upper() + text[1:]


def hang_text(found: Hang) -> str:
    """Return the whole in one sentence, without its full stop."""
    return f"{'Deadlock: ' if found.is_deadlock else ''}{_steps_text(found)}{_time_text(found)}{_rest(found)}"


def _step_text(step: Step) -> str:
    """Return what ranks wait for: `rank 1 waits in MPI_Recv on W (a.c:7) for a message from rank 3`."""
    if not step.waits_for:
        return f"{ranks_text(step.ranks)} {_is_text(step)}"
    verb = "wait" if step.count > 1 else "waits"
    return f"{ranks_text(step.ranks)} {verb} in {_call_text(step)} for {_what_text(step)}"


def _left_over_text(step: Step) -> str:
    """Return the messages that were sent to ranks, and that was never received; '' = none are known."""
    return "; ".join(
        f"rank {one.source} has sent {_messages_text(one.sent - one.received)} to rank {one.destination} on "
        f"{one.communicator} with tag {one.tag} that was never received"
        for one in step.found
    )


def _messages_text(count: int) -> str:
    return "a message" if count == 1 else f"{count_text(count)} messages"


def waited_title(found: Hang) -> str:
    """Return for whom most of the waiting was, as a title."""
    who = ranks_text(found.root)
    if found.is_deadlock and found.kind != ENDED:
        return f"{who[:1].upper()}{who[1:]} waited for each other until the run ended"
    return f"Most waiting was for {who}, until the run ended"


def ranks_text(ranks: str) -> str:
    """Return `rank 3`, `ranks 0-2`."""
    return f"rank{'' if ranks.isdigit() else 's'} {ranks}"


def _steps_text(found: Hang) -> str:
    if found.kind == MISMATCH:
        where = found.steps[0].communicator
        calls = [
            f"{ranks_text(one.ranks)} in {_call_text(one, with_communicator=False)}" for one in found.steps
        ]
        return f"different collectives on {where}: {', '.join(calls)}"
    steps = (
        found.steps if len(found.steps) <= _MOST_STEPS else [*found.steps[: _MOST_STEPS - 1], found.steps[-1]]
    )
    left_out = len(found.steps) + found.more_steps - len(steps)
    texts = [_step_text(one) for one in steps]
    if not left_out and not steps[-1].waits_for:
        texts[-1] = _end_text(steps[-1], steps[-2].waits_for)
    if left_out:
        texts.insert(-1, f"{left_out} more in the same way")
    return ", ".join(texts)


def _end_text(step: Step, waits_for: str) -> str:
    """Return where those are at whom the waiting ends."""
    if step.ranks == waits_for:
        return f"which {_is_text(step)}"
    return f"and {ranks_text(step.ranks)} {_is_text(step)}"


def _time_text(found: Hang) -> str:
    return "" if found.seconds is None else f", for {second_text(found.seconds)}"


def _rest(found: Hang) -> str:
    left_over = [text for text in map(_left_over_text, found.steps) if text]
    unsure = found.is_deadlock and not found.is_certain
    return "".join(f"; {text}" for text in left_over) + "; not all calls were counted" * unsure


def _is_text(step: Step) -> str:
    several = step.count > 1
    if step.state == "inside":
        return f"{'are' if several else 'is'} in {_call_text(step)}; what it waits for is unknown"
    if step.state == "polling":
        return f"{'poll' if several else 'polls'} with {_call_text(step)}"
    return _WHERE.get(step.state, ("has ended", "have ended"))[several]


def _call_text(step: Step, *, with_communicator: bool = True) -> str:
    on = f" on {step.communicator}" if step.communicator and with_communicator else ""
    return f"{step.procedure}{on}{f' ({step.site})' if step.site else ''}"


def _what_text(step: Step) -> str:
    who = ranks_text(step.waits_for)
    if step.any and not step.waits_for.isdigit():
        who = f"any of {who}"
    tag = "" if step.tag is None or step.tag == ANY else f", tag {step.tag}"
    if step.what in (MESSAGE, RECEIVE):
        return f"a {step.what} {'from' if step.what == MESSAGE else 'by'} {who}{tag}"
    if step.collective:
        return f"{who} to call {step.collective}"
    return f"{who} to call it" if step.procedure != FINALIZE else f"{who} to arrive there"
