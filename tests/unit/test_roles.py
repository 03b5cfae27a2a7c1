"""What communicators are for, by their members, grids and nodes; and which library is the program."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from made_profile import Made

from rankwise.analysis.calls.communicators import communicators
from rankwise.analysis.calls.families import families
from rankwise.profile.join.objects import Object, main_library
from rankwise.text.names import communicator_name, family_name

RANKS = 12
HOSTS = ["a"] * 4 + ["b"] * 4 + ["c"] * 4


def run(ranks: int = RANKS, hosts: Sequence[str] = ()) -> Made:
    return Made(ranks, hosts=hosts)


def made(of: Made, *members: str, family: str = "W_s1", first: int = 10, **values: object) -> None:
    for key, ranks in enumerate(members, first):
        size = len([rank for rank in ranks.split(",") if rank])
        of.communicator(key, f"{family}.{key}", family=family, parent=3, members=ranks, size=size, **values)


def role(of: Made, family: str = "W_s1") -> str:
    return next(one.role for one in families(of.seen.connection) if one.family == family)


def lists(*groups: Sequence[int]) -> list[str]:
    return [",".join(map(str, group)) for group in groups]


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ([range(12)], ""),
        ([[5]], "rank 5"),
        ([range(3)], "ranks 0-2"),
        ([range(3), range(3, 12)], "ranks 0-2 and the rest"),
        ([[0], range(1, 12)], "rank 0 and the rest"),
        ([range(6), range(6, 12)], "the two halves of the ranks"),
        ([range(0, 12, 2)], "even ranks"),
        ([range(1, 12, 2)], "odd ranks"),
        ([range(0, 12, 2), range(1, 12, 2)], "even and odd ranks"),
        ([range(2, 12, 3)], "every 3rd rank from 2"),
        ([[0, 1, 5, 7]], "4 of 12 ranks"),
        ([range(at, at + 3) for at in range(0, 12, 3)], "blocks of 3 ranks"),
        ([range(at, 12, 4) for at in range(4)], "every 4th rank"),
        ([range(at, at + 2) for at in range(0, 12, 2)], "pairs of neighbours"),
        ([[0, 11], [1, 10], [2, 9]], "pairs of ranks"),
        ([[rank] for rank in range(12)], "each rank alone"),
        ([[0, 3, 4], [1, 2, 5], [6, 8, 10], [7, 9, 11]], ""),
        ([range(3), range(3)], "ranks 0-2"),
    ],
)
def test_roles_by_members(groups: Sequence[Sequence[int]], told: str) -> None:
    of = run()
    made(of, *lists(*groups))
    assert role(of) == told


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ([range(4, 8)], "the ranks of b"),
        ([range(4), range(4, 8), range(8, 12)], "one for each node"),
        ([[1, 5, 9]], "one rank of each node"),
        ([range(3)], "ranks 0-2"),
    ],
)
def test_roles_by_nodes(groups: Sequence[Sequence[int]], told: str) -> None:
    of = run(hosts=HOSTS)
    made(of, *lists(*groups))
    assert role(of) == told


@pytest.mark.parametrize(
    ("dims", "groups", "told"),
    [
        ("[3, 4]", [range(4), range(4, 8), range(8, 12)], "rows of W_a1"),
        ("[3, 4]", [range(at, 12, 4) for at in range(4)], "columns of W_a1"),
        ("[3, 1, 4]", [range(at, 12, 4) for at in range(4)], "columns of W_a1"),
        ("[2, 3, 2]", [range(6), range(6, 12)], "planes across dimension 0 of W_a1"),
        ("[2, 3, 2]", [[at, at + 6] for at in range(6)], "lines along dimension 0 of W_a1"),
        ("[7, 1000000000]", [range(4), range(4, 8), range(8, 12)], "blocks of 4 ranks"),  # damaged
    ],
)
def test_roles_in_grids(dims: str, groups: Sequence[Sequence[int]], told: str) -> None:
    of = run()
    of.communicator(9, "W_a1", topology="cart", dims=dims)
    made(of, *lists(*groups))
    assert role(of) == told


def test_a_grid_that_the_program_laid_out_itself() -> None:
    of = run()
    made(of, *lists(*(range(at, at + 4) for at in range(0, 12, 4))))
    made(of, *lists(*(range(at, 12, 4) for at in range(4))), family="W_s2", first=20)
    assert role(of) == "rows of a 3 x 4 grid"
    assert role(of, "W_s2") == "columns of a 3 x 4 grid"


def test_where_members_tell_nothing_the_function_does() -> None:
    of = run()
    of.insert("objects", id=1, path="/opt/app", is_program=1)
    for key, function in enumerate(("fft::Plan::setup(int, long)", "main", None), 1):
        of.insert("sites", id=key, object=1, offset=key, function=function)
        made(of, *lists(range(12)), family=f"W_d{key}", first=10 + key, site=key)
    made(of, *lists(range(3)), first=30, site=1)
    told = [role(of, f"W_d{key}") for key in (1, 2, 3)]
    assert told == ["made in setup", "", ""]
    assert role(of) == "ranks 0-2"


def test_the_programs_own_name_wins() -> None:
    of = run()
    made(of, *lists(range(3)), user_name="PP")
    made(of, *lists(range(3, 12)), family="W_s2", first=20)
    names = {family_name(one) for one in families(of.seen.connection)}
    assert names == {"W", 'W_s1.10 "PP"', "W_s2.20 (ranks 3-11)"}
    assert {communicator_name(one) for one in communicators(of.seen.connection)} == names


def test_unknown_and_damaged_members_have_no_role() -> None:
    of = run()
    of.communicator(10, "W_s1.0", family="W_s1", members="0-2,?x9")
    of.communicator(11, "W_s2.0", family="W_s2", members="0-999999999999")
    assert (role(of), role(of, "W_s2")) == ("", "")


APP, GROMACS = ("/usr/bin/gmx", 1), ("/usr/lib/libgromacs_mpi.so.7", 0)
PETSC, OTHER = ("/usr/lib/libpetsc_real.so.3", 0), ("/usr/lib/libplumed.so", 0)


@pytest.mark.parametrize(
    ("calls", "main"),
    [
        ({APP: 4, GROMACS: 3930}, GROMACS),
        ({APP: 400, GROMACS: 3530}, None),  # it calls for itself, too
        ({APP: 4, PETSC: 3930}, None),  # it serves many programs
        ({APP: 0, GROMACS: 600, OTHER: 400}, GROMACS),
        ({APP: 0, GROMACS: 400, OTHER: 350, PETSC: 250}, None),  # none makes most
        ({APP: 0}, None),
        ({}, None),
    ],
)
def test_the_library_that_a_program_is_all_in(
    calls: dict[tuple[str, int], int], main: tuple[str, int] | None
) -> None:
    objects = [Object(number, path, "", own) for number, (path, own) in enumerate(calls, 1)]
    found = main_library(objects, list(calls.values()))
    assert (found.path if found else None) == (main[0] if main else None)
