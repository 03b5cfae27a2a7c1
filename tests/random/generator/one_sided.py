"""One-sided communication: a window, an epoch of operations on it, and its end."""

from __future__ import annotations

from generator.communicator import Comm
from generator.instructions import PROC_NULL, call
from generator.program import Step
from generator.state import State

SUM, REPLACE, NO_OP = range(3)
_OPERATIONS = ("Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap")
_MOST = 12  # elements of an operation: with any datatype of ours they fit into a slot of the window


def step(state: State, comm: Comm) -> Step:
    """All of a window's life.

    Each operation has a slot of the window for itself, so that no two touch the same memory.
    """
    made = _Epoch(state, comm)
    ways = [made.fences, made.locks, made.lock_all] if state.has("passive target") else [made.fences]
    state.random.choice([*ways, made.groups] if len(comm.members) > 1 else ways)()
    maker = state.random.choice(("Win_create", "Win_allocate"))
    whole = Step("one-sided", needs={comm.number})
    for rank in comm.members:
        whole.add(rank, call(maker, comm=comm.number, slots=made.slots, win=made.number))
        for instruction in made.step.calls[rank]:
            whole.add(rank, instruction)
        whole.add(rank, call("Win_free", win=made.number))
    return whole


class _Epoch:
    """Operations of all members between the calls that open and close it."""

    def __init__(self, state: State, comm: Comm) -> None:
        self.state = state
        self.comm = comm
        self.number = state.new_number()
        self.step = Step("epoch")
        self.slots = 0

    def fences(self) -> None:
        """Active target, all at once."""
        for rank in self.comm.members:
            self._add(rank, "Win_fence")
            self._operations(rank, range(len(self.comm.members)))
            self._add(rank, "Win_fence")

    def groups(self) -> None:
        """Active target, by groups: everybody is both sides for all others."""
        for place, rank in enumerate(self.comm.members):
            others = [peer for peer in range(len(self.comm.members)) if peer != place]
            self._add(rank, "Win_post", ranks=others)
            self._add(rank, "Win_start", ranks=others)
            self._operations(rank, others)
            self._add(rank, "Win_complete")
            self._add(rank, "Win_wait")

    def locks(self) -> None:
        """Passive target, one after the other."""
        random = self.state.random
        for rank in self.comm.members:
            members = len(self.comm.members)
            for target in random.sample(range(members), random.randint(1, min(members, 2))):
                self._add(rank, "Win_lock", target=target, exclusive=self.state.chance(0.3))
                self._operations(rank, [target], with_requests=True)
                if self.state.chance(0.5):
                    self._add(rank, random.choice(("Win_flush", "Win_flush_local")), target=target)
                self._add(rank, "Win_unlock", target=target)

    def lock_all(self) -> None:
        """Passive target, all at once."""
        random = self.state.random
        for rank in self.comm.members:
            self._add(rank, "Win_lock_all")
            self._operations(rank, range(len(self.comm.members)), with_requests=True)
            if self.state.chance(0.5):
                self._add(rank, random.choice(("Win_flush_all", "Win_flush_local_all", "Win_sync")))
            self._add(rank, "Win_unlock_all")

    def _add(self, rank: int, operation: str, **arguments: object) -> None:
        self.step.add(rank, call(operation, win=self.number, **arguments))

    def _operations(self, rank: int, targets: range | list[int], *, with_requests: bool = False) -> None:
        random, requests = self.state.random, []
        for _ in range(random.randint(0, 4)):
            target = PROC_NULL if self.state.chance(0.1) else random.choice(targets)
            where = {"target": target, "slot": self.slots}
            self.slots += 1
            way = random.choice(
                ("Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap")
            )
            if way == "Compare_and_swap":
                self._add(rank, way, **where, type=self._builtin(3))
            elif way == "Fetch_and_op":
                self._add(rank, way, **where, type=self._builtin(0), op=random.choice((SUM, REPLACE, NO_OP)))
            else:
                what = {"count": random.randint(0, _MOST), "type": self._type()}
                if way == "Accumulate":
                    what = {**what, "type": self._builtin(0), "op": random.choice((SUM, REPLACE))}
                elif way == "Get_accumulate":
                    what = {**what, "type": self._builtin(0), "op": random.choice((SUM, REPLACE, NO_OP))}
                if with_requests and self.state.chance(0.3):
                    requests.append(self.state.new_request())
                    self._add(rank, f"R{way.lower()}", **where, **what, request=requests[-1])
                else:
                    self._add(rank, way, **where, **what)
        random.shuffle(requests)
        while requests and self.state.chance(0.5):
            self.step.add(rank, call("Wait", request=requests.pop(), ignore=self.state.chance(0.5)))
        if requests:
            self.step.add(rank, call("Waitall", requests=requests, ignore=self.state.chance(0.5)))

    def _builtin(self, operation: int) -> int:
        """A built-in datatype that a reduction takes."""
        fit = [datatype.number for datatype in self.state.types if operation in datatype.operations]
        return self.state.random.choice(fit)

    def _type(self) -> int:
        """Any datatype that has a short extent."""
        fit = [
            datatype.number for datatype in self.state.types if datatype.definition.operation != "type_struct"
        ]
        return self.state.random.choice(fit)
