"""Selection trees of MPICH, read by a model of how the library walks them: only the cells change."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from settings_made import MPICH_4, rule, settings

from exhaustive import repeated
from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.tuning.libraries import mpich
from rankwise.tuning.libraries.mpich import Tree, default_tree, spliced
from rankwise.tuning.settings.rule import Rule

TREE: Tree = {
    "collective=bcast": {
        "comm_type=intra": {
            "comm_size<=7": {"algorithm=MPIR_Bcast_intra_binomial": {}},
            "comm_size=any": {
                "avg_msg_size<=12288": {"algorithm=MPIR_Bcast_intra_binomial": {}},
                "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}},
            },
        },
        "comm_type=inter": {"algorithm=MPIR_Bcast_inter_remote_send_local_bcast": {}},
    },
    "collective=allgather": {"comm_type=intra": {"algorithm=MPIR_Allgather_intra_ring": {}}},
    "collective=allreduce": {"comm_type=intra": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}}},
    "collective=alltoall": {
        "comm_type=intra": {
            "is_sendbuf_inplace=yes": {"algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace": {}},
            "is_sendbuf_inplace=no": {"algorithm=MPIR_Alltoall_intra_brucks": {}},
        }
    },
    "collective=reduce_scatter": {
        "comm_type=intra": {"algorithm=MPIR_Reduce_scatter_intra_recursive_doubling": {}}
    },
    "collective=barrier": {"comm_type=intra": {"algorithm=MPIR_Barrier_intra_dissemination": {}}},
}


class Call(NamedTuple):
    collective: str
    processes: int
    size: int  # of a block
    kind: str = "intra"
    commutative: bool = True
    built_in: bool = True
    in_place: bool = False
    regular: bool = True
    several_levels: bool = False
    elements: int = 1 << 20


def holds(test: str, call: Call) -> bool:
    if "<=" in test:
        what, _, limit = test.partition("<=")
        value = {
            "comm_size": call.processes,
            "avg_msg_size": call.size,
            "total_msg_size": call.size * call.processes,
        }[what]
        return value <= int(limit)
    if test == "count<pow2":
        return call.elements < 1 << (call.processes.bit_length() - 1)
    what, _, value_ = test.partition("=")
    if value_ == "any":
        return True
    yes = {"yes": True, "no": False, "parent": True, "intra": "intra", "inter": "inter"}[value_]
    return (
        yes
        == {
            "comm_type": call.kind,
            "is_commutative": call.commutative,
            "is_op_built_in": call.built_in,
            "is_sendbuf_inplace": call.in_place,
            "is_block_regular": call.regular,
            "comm_hierarchy": call.several_levels,
        }[what]
    )


def chosen(tree: Any, call: Call) -> str:
    """The leaf that the library comes to: branch by branch, into the first one whose test holds."""
    branch = tree[f"collective={call.collective}"]
    while True:
        first = next(iter(branch))
        if first.startswith("algorithm="):
            return str(first.partition("_int")[2].partition("_")[2])
        branch = next(below for test, below in branch.items() if holds(test, call))


def written(tree: Tree, *rules: Rule) -> Any:
    """As the library reads it: JSON keeps the order."""
    return json.loads(json.dumps(spliced(tree, rules)))


def library(place: Path, *trees: Tree, names: tuple[str, ...] = ()) -> Path:
    """A file with trees in it as a library has them."""
    parts = [json.dumps(tree, separators=(",", ":")) for tree in trees]
    parts += [f"algorithm={name}" for name in names]
    place.write_bytes(b"\x7fELF\0" + b"\0".join(part.encode() for part in parts) + b"\0end")
    return place


def test_a_cell_and_no_other() -> None:
    tree = written(TREE, rule("Bcast", 6, 4096, 65536, "MPIR_Bcast_intra_scatter_ring_allgather"))
    for processes in range(1, 20):
        for size in (0, 4095, 4096, 65536, 65537, 1 << 30):
            for kind in ("intra", "inter"):
                call = Call("bcast", processes, size, kind)
                hit = processes == 6 and 4096 <= size <= 65536 and kind == "intra"
                assert chosen(tree, call) == ("scatter_ring_allgather" if hit else chosen(TREE, call))
    assert {name: tree[name] for name in tree if name != "collective=bcast"} == {
        name: TREE[name] for name in TREE if name != "collective=bcast"
    }
    assert "comm_size<6" not in json.dumps(tree)  # some versions take that for <=


@repeated(30, 100)
def test_random_rules_change_their_cells_only(times: int) -> None:
    numbers = random.Random(2)
    names = {"Bcast": "scatter_ring_allgather", "Allgather": "brucks", "Reduce_scatter": "pairwise"}
    for _ in range(times):
        rules = []
        for procedure, name in names.items():
            for processes in numbers.sample(range(1, 10), 3):
                a, b, c, d = sorted(numbers.sample(range(40), 4))
                rules += [rule(procedure, processes, *limits, name) for limits in ((a, b), (c, d))]
        tree = written(TREE, *numbers.sample(rules, len(rules)))
        for procedure, name in names.items():
            for processes in range(1, 12):
                for size in range(43):
                    call = Call(procedure.lower(), processes, size)
                    hit = any(
                        (candidate.procedure, candidate.processes) == (f"MPI_{procedure}", processes)
                        and candidate.low <= size <= (candidate.high or 0)
                        for candidate in rules
                    )
                    assert chosen(tree, call) == (name if hit else chosen(TREE, call)), (rules, call)


@pytest.mark.parametrize(
    ("given", "calls"),
    [
        (rule("Allreduce", 4, 0, None, "reduce_scatter_allgather"), {"built_in": False}),
        (rule("Allreduce", 4, 0, None, "reduce_scatter_allgather"), {"elements": 3}),
        (rule("Allreduce", 4, 0, None, "ring"), {"commutative": False}),
        (rule("Alltoall", 4, 0, None, "pairwise"), {"in_place": True}),
        (rule("Alltoall", 4, 8, 8, "scattered"), {"in_place": True}),
        (rule("Reduce_scatter", 4, 0, None, "recursive_halving"), {"commutative": False}),
        (rule("Reduce_scatter", 4, 0, None, "noncommutative"), {"regular": False}),
        (rule("Barrier", 4, 0, None, "smp"), {}),
    ],
)
def test_what_an_algorithm_can_not_do_stays_as_it_was(given: Rule, calls: dict[str, Any]) -> None:
    tree = written(TREE, given)
    call = Call(given.procedure.removeprefix("MPI_").lower(), 4, 8, several_levels=bool(calls))
    assert chosen(tree, call) == given.algorithm.name if calls else chosen(TREE, call)
    assert chosen(tree, call._replace(**calls)) == chosen(TREE, call._replace(**calls))


def test_a_barrier_by_nodes_where_there_are_nodes() -> None:
    tree = written(TREE, rule("Barrier", 4, 0, None, "smp"))
    assert chosen(tree, Call("barrier", 4, 0, several_levels=True)) == "smp"


@pytest.mark.parametrize(
    ("rules", "line"),
    [
        ([rule("Bcast", 6, 0, None, "tree")], "can't choose tree"),
        ([rule("Bcast", 6, 0, None, "nb")], "can't choose nb"),
        ([rule("Bcast", 6, 0, None, "MPIR_Reduce_intra_binomial")], "can't choose MPIR_Reduce"),
        ([rule("Allgather", 6, 0, None, "recursive_doubling")], "6"),
        ([rule("Bcast", 6, 0, 1 << 31, "binomial")], "up to 2 GiB in total .. 2,147,483,647 B"),
        ([rule("Barrier", 6, 0, 8, "smp")], ""),
        ([rule("Gather", 6, 0, None, "binomial")], "no rules for MPI_Gather"),
        ([rule("Reduce", 6, 0, None, "binomial")], "MPI_Reduce"),
    ],
)
def test_refused(rules: list[Rule], line: str, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        spliced(TREE, rules)
    golden.says(error.value, line)
    assert "\n" not in str(error.value)


def test_the_tree_is_read_out_of_the_library(tmp_path: Path) -> None:
    compositions: Tree = {"collective=bcast": {"composition=MPIDI_Bcast_intra_composition_alpha": {}}}
    shared: Tree = {"collective=bcast": {"algorithm=MPIDI_POSIX_mpi_bcast_release_gather": {}}}
    assert default_tree(library(tmp_path / "a.so", shared, compositions, TREE)) == TREE
    for content, line in [
        (b"", "can't be read"),
        (b"\x7fELF", "has no selection tree"),
        (b'{"collective=bcast":{"algorithm=MPIR_\0', "can't be read"),
    ]:
        broken = tmp_path / "b.so"
        broken.write_bytes(content)
        with pytest.raises(RankwiseError, match=line):
            default_tree(broken)
    with pytest.raises(RankwiseError, match="cannot read"):
        default_tree(tmp_path / "none.so")


def test_algorithms_that_the_library_lacks(tmp_path: Path, golden: Golden) -> None:
    given = settings(rule("Bcast", 6, 0, None, "smp"), library=MPICH_4)
    with pytest.raises(RankwiseError, match="this MPICH has no MPIR_Bcast_intra_smp"):
        mpich.Mpich().translate(given, library(tmp_path / "a.so", TREE, names=("MPIR_Bcast_intra_binomial",)))
    translation = mpich.Mpich().translate(
        given, library(tmp_path / "b.so", TREE, names=("MPIR_Bcast_intra_smp",))
    )
    assert translation.variables_for("/d/f") == {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": "/d/f"}
    with pytest.raises(RankwiseError) as error:
        mpich.Mpich().translate(given, None)
    golden.says(error.value, "MPICH")


@pytest.mark.exhaustive  # 4 s
def test_no_file_fills_its_last_page(tmp_path: Path) -> None:
    given = settings(rule("Bcast", 6, 0, None, "smp"), library=MPICH_4)
    sizes = set()
    for more in range(4100):
        padded = {**TREE, "collective=x" + "x" * more: {}}
        place = library(tmp_path / "a.so", padded, names=("MPIR_Bcast_intra_smp",))
        sizes.add(len(mpich.Mpich().translate(given, place).text) % 4096)
    assert sizes == set(range(4096)) - {0}
