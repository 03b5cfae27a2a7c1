"""Regions and pauses by MPI_Pcontrol, on some of the ranks."""

from __future__ import annotations

from generator.instructions import call
from generator.program import Step
from generator.state import State

NO_NAME = -1
_MORE_THAN_ARE_OPEN = 25


def step(state: State) -> Step:
    """Some ranks enter or leave a region, or pause and resume."""
    step = Step("regions")
    random = state.random
    way = random.choice(("enter", "enter", "enter", "leave", "leave", "pause", "resume"))
    region = random.randint(0, 3)
    for rank in random.sample(range(state.ranks), random.randint(1, state.ranks)):
        if rank in state.paused:
            # Resumed with a name or without, no region is entered.
            step.add(rank, call("Pcontrol", level=1, region=random.choice((NO_NAME, region))))
            state.paused.discard(rank)
        elif way == "enter":
            step.add(rank, call("Pcontrol", level=1, region=region))
        elif way == "leave":
            step.add(rank, call("Pcontrol", level=-1, region=random.choice((NO_NAME, region))))
        elif way == "pause":
            step.add(rank, call("Pcontrol", level=0, region=NO_NAME))
            state.paused.add(rank)
        else:
            step.add(rank, call("Pcontrol", level=random.choice((1, 2)), region=NO_NAME))
    return step


def end(state: State) -> Step:
    """Back to where every program starts: nobody pauses, no region is open."""
    step = Step("regions")
    for rank in range(state.ranks):
        if rank in state.paused:
            step.add(rank, call("Pcontrol", level=1, region=NO_NAME))
        for _ in range(_MORE_THAN_ARE_OPEN):
            step.add(rank, call("Pcontrol", level=-1, region=NO_NAME))
    state.paused.clear()
    return step
