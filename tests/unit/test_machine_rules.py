"""What the library tells commands and programs alike, against simple models of it on random input."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Sequence

import numpy as np
import pytest
from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException
from ClusterShell.RangeSet import RangeSetException
from test_machine_file import random_machine

from exhaustive import repeated
from golden import Golden
from rankwise.analysis.messages.traffic import Whereabouts
from rankwise.errors import RankwiseError
from rankwise.placement.present_placement import (
    NoPresentPlacementError,
    find_present_placement,
    machine_of_run,
)
from rankwise.topology.machine.hosts import folded, hosts_of
from rankwise.topology.machine.model import Machine


def words_of_clustershell(text: str) -> list[str] | None:
    """What ClusterShell makes of a word without its own operators; None: it is no list."""
    try:
        return list(NodeSet(text, resolver=RESOLVER_NOGROUP))
    except (NodeSetException, RangeSetException):
        return None


def random_word(generator: random.Random) -> str:
    def ranges() -> str:
        parts = []
        for _ in range(generator.randint(1, 3)):
            first = generator.randint(0, 30)
            last = f"-{first + generator.randint(0, 9)}" * generator.randint(0, 1)
            parts.append(f"{first}{last}")
        return ",".join(parts)

    word = "".join(
        generator.choice((f"n{generator.choice(string.ascii_lowercase)}", f"-{generator.randint(0, 9)}x"))
        + f"[{ranges()}]" * generator.randint(0, 1)
        for _ in range(generator.randint(1, 3))
    )
    return f"h{word}"


@repeated(150, 500)
def test_hosts_are_those_of_clustershell(times: int) -> None:
    generator = random.Random(21)
    for _ in range(times):
        word = random_word(generator)
        names = words_of_clustershell(word)
        assert names is not None
        assert sorted(hosts_of(word)) == sorted(names), word
        assert sorted(hosts_of(folded(names))) == sorted(set(names)), word


@repeated(1000, 3000)
def test_damaged_lists_are_those_of_clustershell(times: int) -> None:
    """Whatever is taken for a list, ClusterShell takes likewise."""
    generator = random.Random(22)
    taken = 0
    for _ in range(times):
        damaged = list(random_word(generator))
        for _ in range(generator.randint(1, 2)):
            damaged[generator.randrange(len(damaged))] = generator.choice("[]-09a")
        word = "".join(damaged)
        # ClusterShell takes digits beside brackets for a part of the numbers.
        if re.search(r"\d\[|\]\d|\]\[", word):
            continue
        try:
            names = hosts_of(word)
        except RankwiseError:
            continue
        assert sorted(names) == sorted(words_of_clustershell(word) or []), word
        taken += 1
    assert taken > times / 10


def test_digits_around_brackets_are_as_in_slurm() -> None:
    assert hosts_of("n9[9-11]") == ["n99", "n910", "n911"]
    assert hosts_of("n[9-10]5") == ["n95", "n105"]


NO_LISTS = (
    *("", " ", ",", "a,", "a,,b", "[", "]", "n[", "n[]", "n[1-]", "n[-1]", "n[2-1]", "n[1", "n1]", "n[[1]]"),
    *("n[a-b]", "n[1,]", "a b", "@all", "a!b", "a&b", "a^b", "a/2", "n[1-9/2]", "a*", "a?", "a%b", "a\tb"),
)
TOO_MANY = ("n[0-1048576]", "n[1-99999]x[1-99999]", "n[0-1048575],a", "n[1-999999999999999]")


@pytest.mark.parametrize("text", NO_LISTS)
def test_what_is_no_list(text: str, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        hosts_of(text)
    golden.says(error.value)


@pytest.mark.parametrize(
    "text", ["n[0-1048576]", "n[1-99999]x[1-99999]", "n[0-1048575],a", "n[1-999999999999999]"]
)
def test_too_many_hosts(text: str) -> None:
    with pytest.raises(RankwiseError, match="names more than 1048576 hosts"):
        hosts_of(text)


def hops_of_model(machine: Machine) -> list[int]:
    """Count levels that divide something: where two slots meet, and how many such are further inside."""
    slots = machine.slots
    everybody = np.arange(len(slots))
    meet = slots.meet(everybody[:, None], everybody)
    np.fill_diagonal(meet, -1)
    useful = sorted(set(meet.ravel().tolist()) - {-1})
    return [sum(inner > level for inner in useful) for level in range(len(machine.levels))]


def test_hops() -> None:
    generator = random.Random(23)
    for _ in range(200):
        machine = random_machine(generator)
        slots = machine.slots
        # Where no slots meet, no price is asked for.
        used = set(slots.meet(np.arange(len(slots))[:, None], np.arange(len(slots))).ravel().tolist())
        got, model = slots.hops(), hops_of_model(machine)
        last = len(machine.levels) - 1
        assert [got[level] for level in used - {last}] == [model[level] for level in used - {last}]


def node_of_model(host: str, names: Sequence[str]) -> int | None:
    if host in names:
        return names.index(host)
    short = host.partition(".")[0]
    matching = [name for name in names if name.partition(".")[0] == short and ("." in name) != ("." in host)]
    return names.index(matching[0]) if len(matching) == 1 else None


def slots_of_model(where: Whereabouts, machine: Machine) -> tuple[list[int], int] | None:
    """Seat those with the least choice first, then the others in the order of their ranks."""
    nodes = [node_of_model(host or "", machine.hosts()) for host in where.hosts]
    if None in nodes:
        return None
    slot, count_bound = [-1] * len(nodes), 0
    for node in set(nodes):
        ranks = [rank for rank, its in enumerate(nodes) if its == node]
        places = np.flatnonzero(machine.slots.host == node).tolist()
        if len(ranks) > len(places):
            return None
        cpu = {place: int(machine.slots.os[place, -1]) for place in places}
        mine = {rank: [place for place in places if cpu[place] in where.cpus[rank]] for rank in ranks}
        bound = [rank for rank in ranks if 0 < len(mine[rank]) < len(places)]
        count_bound += len(bound)
        for rank in sorted(bound, key=lambda member: len(mine[member])):
            slot[rank] = next((place for place in mine[rank] if place not in slot), -1)
        for rank in ranks:
            if slot[rank] < 0:
                slot[rank] = next(place for place in places if place not in slot)
    return slot, count_bound


def test_an_address_has_no_domain() -> None:
    machine = machine_of_run(Whereabouts(("10", "n1"), ((), ())))
    assert find_present_placement(Whereabouts(("n1.site",), ((),)), machine).slot.tolist() == [1]
    with pytest.raises(NoPresentPlacementError):
        find_present_placement(Whereabouts(("10.0.0.1",), ((),)), machine)


def test_slots_of_processes() -> None:
    generator = random.Random(24)
    seated, refused = 0, 0
    for _ in range(400):
        machine = random_machine(generator)
        ranks = generator.randint(1, 6)
        hosts = [generator.choice(machine.hosts()) for _ in range(ranks)]
        hosts = [host + generator.choice(("", "", ".x", "y")) * (generator.random() < 0.1) for host in hosts]
        cpus = [tuple(sorted(generator.sample(range(10), generator.choice((0, 1, 2, 5, 10))))) for _ in hosts]
        where = Whereabouts(tuple(hosts), tuple(cpus))
        model = slots_of_model(where, machine)
        try:
            present = find_present_placement(where, machine)
        except NoPresentPlacementError:
            assert model is None
            refused += 1
        else:
            assert (present.slot.tolist(), present.bound) == model
            seated += 1
    assert min(seated, refused) > 50
