"""From a seed to a program."""

from __future__ import annotations

from random import Random

from generator import blocking, collectives, constructors, one_sided, persistent, regions
from generator.exchange import Exchange
from generator.instructions import call
from generator.program import Program, Step
from generator.state import State

BATCH = 8
"""Seeds that one launch runs, one after the other; the seeds of a batch have the same number of ranks."""

_NUMBERS_A_SEED = 500


def ranks_of(seed: int) -> int:
    """How many ranks the program of a seed has."""
    return Random(seed // BATCH).choice((2, 2, 3, 3, 4))


def generate(seed: int, lacking: frozenset[str] = frozenset()) -> Program:
    """The program of a seed, for a library that lacks some features (quirks.py)."""
    random = Random(seed)
    state = State(random, ranks_of(seed), 10 + seed % BATCH * _NUMBERS_A_SEED, lacking)
    steps = [_types(state), constructors.duplicate_world(state)]
    for _ in range(random.randint(10, 24)):
        step = _random_step(state)
        if step is not None:
            steps += [step, _room(state)]
    for _ in range(random.randint(0, 3)):
        comm = state.pick_comm(inter=False)
        steps += [one_sided.step(state, comm), _room(state)] if comm else []
    ending = persistent.free(state, every=True)
    steps += [ending] if ending else []
    steps += [regions.end(state), _free_types(state)]
    sizes = {datatype.number: datatype.size for datatype in state.types}
    return Program(seed, state.ranks, tuple(steps), sizes)


def _random_step(state: State) -> Step | None:
    way = state.random.random()
    if way < 0.25:
        return Exchange(state).make()
    if way < 0.3:
        return Exchange(state).restart()
    if way < 0.48:
        return constructors.step(state)
    if way < 0.56:
        return persistent.initialise(state)
    if way < 0.7:
        comm = state.pick_comm()
        return collectives.step(state, comm) if comm else None
    if way < 0.8:
        comm = state.pick_comm(at_least=2)
        return blocking.chain(state, comm) if comm else None
    if way < 0.87:
        comm = state.pick_comm(inter=False)
        return blocking.shift(state, comm) if comm else None
    if way < 0.94:
        return regions.step(state)
    if state.chance(0.3):
        return persistent.free(state)
    return constructors.free(state) if state.chance(0.6) else constructors.name(state)


def _types(state: State) -> Step:
    step = Step("datatypes")
    for rank in range(state.ranks):
        for datatype in state.types:
            step.add(rank, datatype.definition)
    return step


def _free_types(state: State) -> Step:
    step = Step("datatypes")
    for rank in range(state.ranks):
        for datatype in state.types:
            if datatype.definition.operation != "type_builtin":
                step.add(rank, call("type_free", type=datatype.number))
        step.add(rank, call("forget"))
    return step


def _room(state: State) -> Step:
    """No message is under way: the memory may be used again."""
    step = Step("room")
    for rank in range(state.ranks):
        step.add(rank, call("room"))
    return step
