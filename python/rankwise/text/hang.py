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


def hang_sentence(hang: Hang | None) -> str:
    """Return why a run hung at its end, without the full stop; '' if that is not important enough."""
    if hang is None or not (hang.is_deadlock or (hang.lost_percent_of_run or 0.0) >= LEAST_PERCENT):
        return ""
    text = hang_text(hang)
    return text[:1].upper() + text[1:]


def hang_text(hang: Hang) -> str:
    """Return the whole in one sentence, without its full stop."""
    return f"{'Deadlock: ' if hang.is_deadlock else ''}{_steps_text(hang)}{_time_text(hang)}{_details(hang)}"


def _step_text(step: Step) -> str:
    """Return what ranks wait for: `rank 1 waits in MPI_Recv on W (a.c:7) for a message from rank 3`."""
    if not step.waits_for:
        return f"{ranks_text(step.ranks)} {_is_text(step)}"
    verb = "wait" if step.count > 1 else "waits"
    return f"{ranks_text(step.ranks)} {verb} in {_call_text(step)} for {_what_text(step)}"


def _left_over_text(step: Step) -> str:
    """Return the messages that were sent to ranks and never received; '' = none are known."""
    return "; ".join(
        f"rank {pair.source} has sent {_messages_text(pair.sent - pair.received)} to rank {pair.destination}"
        f" on {pair.communicator} with tag {pair.tag} that was never received"
        for pair in step.found
    )


def _messages_text(count: int) -> str:
    return "a message" if count == 1 else f"{count_text(count)} messages"


def waited_title(hang: Hang) -> str:
    """Return the ranks that caused most of the waiting, as a title."""
    who = ranks_text(hang.root)
    if hang.is_deadlock and hang.kind != ENDED:
        return f"{who[:1].upper()}{who[1:]} waited for each other until the run ended"
    return f"Most waiting was for {who}, until the run ended"


def ranks_text(ranks: str) -> str:
    """Return `rank 3`, `ranks 0-2`."""
    return f"rank{'' if ranks.isdigit() else 's'} {ranks}"


def _steps_text(hang: Hang) -> str:
    if hang.kind == MISMATCH:
        where = hang.steps[0].communicator
        calls = [
            f"{ranks_text(step.ranks)} in {_call_text(step, with_communicator=False)}" for step in hang.steps
        ]
        return f"different collectives on {where}: {', '.join(calls)}"
    steps = hang.steps if len(hang.steps) <= _MOST_STEPS else [*hang.steps[: _MOST_STEPS - 1], hang.steps[-1]]
    left_out = len(hang.steps) + hang.more_steps - len(steps)
    texts = [_step_text(step) for step in steps]
    if not left_out and not steps[-1].waits_for:
        texts[-1] = _end_text(steps[-1], steps[-2].waits_for)
    if left_out:
        texts.insert(-1, f"{left_out} more in the same way")
    return ", ".join(texts)


def _end_text(step: Step, waits_for: str) -> str:
    """Return where the ranks are at which the waiting ends."""
    if step.ranks == waits_for:
        return f"which {_is_text(step)}"
    return f"and {ranks_text(step.ranks)} {_is_text(step)}"


def _time_text(hang: Hang) -> str:
    return "" if hang.seconds is None else f", for {second_text(hang.seconds)}"


def _details(hang: Hang) -> str:
    left_over = [text for text in map(_left_over_text, hang.steps) if text]
    unsure = hang.is_deadlock and not hang.is_certain
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
