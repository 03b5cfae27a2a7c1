"""What communicators are for, by their members, grids and nodes; and which library is the program."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from made_profile import Made

from golden import Golden
from rankwise.analysis.calls.communicators import communicators
from rankwise.analysis.calls.families import families
from rankwise.profile.join.objects import Object, main_library
from rankwise.text.names import name_and_role

RANKS = 12
HOSTS = ["a"] * 4 + ["b"] * 4 + ["c"] * 4


def run(ranks: int = RANKS, hosts: Sequence[str] = ()) -> Made:
    return Made(ranks, hosts=hosts)


def made(of: Made, *members: str, family: str = "W_s1", first: int = 10, **values: object) -> None:
    for key, ranks in enumerate(members, first):
        size = len([rank for rank in ranks.split(",") if rank])
        of.communicator(key, f"{family}.{key}", family=family, parent=3, members=ranks, size=size, **values)


def role(of: Made, family: str = "W_s1") -> str:
    return next(row.role for row in families(of.seen.connection) if row.family == family)


def lists(*groups: Sequence[int]) -> list[str]:
    return [",".join(map(str, group)) for group in groups]


MEMBERS: list[Sequence[Sequence[int]]] = [
    [range(12)],
    [[5]],
    [range(3)],
    [range(3), range(3, 12)],
    [[0], range(1, 12)],
    [range(6), range(6, 12)],
    [range(0, 12, 2)],
    [range(1, 12, 2)],
    [range(0, 12, 2), range(1, 12, 2)],
    [range(2, 12, 3)],
    [[0, 1, 5, 7]],
    [range(at, at + 3) for at in range(0, 12, 3)],
    [range(at, 12, 4) for at in range(4)],
    [range(at, at + 2) for at in range(0, 12, 2)],
    [[0, 11], [1, 10], [2, 9]],
    [[rank] for rank in range(12)],
    [[0, 3, 4], [1, 2, 5], [6, 8, 10], [7, 9, 11]],
    [range(3), range(3)],
]
ON_NODES: list[Sequence[Sequence[int]]] = [
    [range(4, 8)],
    [range(4), range(4, 8), range(8, 12)],
    [[1, 5, 9]],
    [range(3)],
]


def line_of(hosts: Sequence[str], groups: Sequence[Sequence[int]]) -> str:
    of = run(hosts=hosts)
    made(of, *lists(*groups))
    return f"{' | '.join(lists(*groups))}: {role(of) or '-'}"


def test_roles_by_members(golden: Golden) -> None:
    golden.says(
        "\n".join(line_of((), groups) for groups in MEMBERS), "0,1,2 | 3,4,5,6,7,8,9,10,11: ranks 0-2 .. rest"
    )


def test_roles_by_nodes(golden: Golden) -> None:
    golden.says("\n".join(line_of(HOSTS, groups) for groups in ON_NODES), "4,5,6,7: .. b")


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
    roles = [role(of, f"W_d{key}") for key in (1, 2, 3)]
    assert roles == ["made in setup", "", ""]
    assert role(of) == "ranks 0-2"


def test_the_programs_own_name_wins() -> None:
    of = run()
    made(of, *lists(range(3)), user_name="PP")
    made(of, *lists(range(3, 12)), family="W_s2", first=20)
    names = {name_and_role(row) for row in families(of.seen.connection)}
    assert names == {"W", 'W_s1.10 "PP"', "W_s2.20 (ranks 3-11)"}
    assert {name_and_role(row) for row in communicators(of.seen.connection)} == names


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
    library = main_library(objects, list(calls.values()))
    assert (library.path if library else None) == (main[0] if main else None)
