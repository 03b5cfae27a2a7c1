"""Rules files of Open MPI, read by a model of how the library looks for an algorithm."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from settings_made import rule, settings

from exhaustive import repeated
from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.tuning.libraries import openmpi
from rankwise.tuning.libraries.openmpi import message_size, rules_file
from rankwise.tuning.settings.apply import translate
from rankwise.tuning.settings.rule import Rule

IDS = {"MPI_Allgather": 0, "MPI_Allreduce": 2, "MPI_Alltoall": 3, "MPI_Alltoallv": 4, "MPI_Barrier": 6}
IDS |= {"MPI_Bcast": 7, "MPI_Reduce": 11, "MPI_Reduce_scatter_block": 13, "MPI_Scan": 14}
Choice = tuple[int, int, int]
Read = dict[int, list[tuple[int, list[tuple[int, Choice]]]]]


def read(text: str) -> Read:
    """Take a file apart as the library does; it takes the numbers one after the other."""
    numbers = (int(word) for line in text.splitlines() for word in line.partition("#")[0].split())
    tables: Read = {}
    for _ in range(next(numbers)):
        collective, sizes = next(numbers), next(numbers)
        assert collective not in tables
        entries = tables[collective] = []
        for _ in range(sizes):
            processes, messages = next(numbers), next(numbers)
            of_size = [
                (next(numbers), (next(numbers), next(numbers), next(numbers))) for _ in range(messages)
            ]
            assert of_size[0][0] == 0, "the library would ignore the file"
            assert all(a < b for (a, _), (b, _) in pairwise(of_size))
            entries.append((processes, of_size))
        assert all(a < b for (a, _), (b, _) in pairwise(entries))
    assert next(numbers, None) is None
    return tables


def chosen(file: Read, procedure: str, processes: int, size: int) -> Choice:
    """What the library takes: the last entries that are not above; below the first one, that."""
    entries = file.get(IDS[procedure])
    if entries is None:
        return (0, 0, 0)
    messages = entries[0][1]
    for least, of_size in entries:
        messages = of_size if least <= processes else messages
    taken: Choice = (0, 0, 0)
    for least, choice in messages:
        taken = choice if least <= message_size(procedure, size, processes) else taken
    return taken


def wanted(rules: list[Rule], procedure: str, processes: int, size: int) -> int:
    """The algorithm of the cell's rule, 0 if it has none."""
    for candidate in rules:
        fits = candidate.high is None or candidate.low <= size <= candidate.high
        if (candidate.procedure, candidate.processes) == (procedure, processes) and fits:
            return candidate.algorithm.number
    return 0


def test_a_cell_and_no_other() -> None:
    text = rules_file([rule("Bcast", 6, 65536, 65536, number=3, segment=8192)])
    file = read(text)
    for processes in range(1, 20):
        for size in (0, 1, 65535, 65536, 65537, 1 << 30):
            hit = (processes, size) == (6, 65536)
            assert chosen(file, "MPI_Bcast", processes, size) == ((3, 0, 8192) if hit else (0, 0, 0))
            assert chosen(file, "MPI_Reduce", processes, size) == (0, 0, 0)


def test_one_communicator_size_of_alltoallv() -> None:
    file = read(rules_file([rule("Alltoallv", 256, number=1)]))
    by_processes = {n: chosen(file, "MPI_Alltoallv", n, 1000)[0] for n in (1, 2, 255, 256, 257, 512, 1024)}
    assert by_processes == {n: n == 256 for n in by_processes}


@pytest.mark.parametrize(
    ("procedure", "size", "processes", "expected"),
    [
        ("MPI_Allreduce", 1000, 8, 1000),
        ("MPI_Bcast", 1000, 8, 1000),
        ("MPI_Allgather", 1000, 8, 8000),
        ("MPI_Alltoall", 1000, 8, 8000),
        ("MPI_Reduce_scatter", 1000, 8, 8000),
        ("MPI_Allgatherv", 1000, 8, 1000),
        ("MPI_Alltoallv", 1000, 8, 0),
        ("MPI_Barrier", 0, 8, 0),
    ],
)
def test_sizes_as_the_library_computes_them(procedure: str, size: int, processes: int, expected: int) -> None:
    assert message_size(procedure, size, processes) == expected


@repeated(60, 200)
def test_random_rules_change_their_cells_only(times: int) -> None:
    numbers = random.Random(1)
    sized = ["Allgather", "Allreduce", "Alltoall", "Bcast", "Reduce", "Reduce_scatter_block"]
    for _ in range(times):
        rules = []
        for procedure in numbers.sample(sized, 3):
            for processes in numbers.sample(range(1, 12), numbers.randint(1, 4)):
                if numbers.random() < 0.3:
                    rules.append(rule(procedure, processes, number=numbers.randint(1, 6)))
                    continue
                limits = sorted(numbers.sample(range(60), 4))
                pairs = [(limits[0], limits[1]), (limits[2], limits[3])]
                rules += [rule(procedure, processes, low, high, number=2 + low % 3) for low, high in pairs]
        numbers.shuffle(rules)
        file = read(rules_file(rules))
        for procedure in [f"MPI_{name}" for name in sized]:
            for processes in range(1, 15):
                for size in range(63):
                    algorithm = chosen(file, procedure, processes, size)[0]
                    assert algorithm == wanted(rules, procedure, processes, size)


def test_chains_are_as_many_as_where_a_variable_chooses_them() -> None:
    file = read(rules_file([rule("Reduce", 4, number=2), rule("Bcast", 4, number=3)]))
    assert chosen(file, "MPI_Reduce", 4, 8) == (2, 4, 0)
    assert chosen(file, "MPI_Bcast", 4, 8) == (3, 0, 0)


@pytest.mark.parametrize(
    ("rules", "line"),
    [
        ([rule("Alltoallv", 4, 0, 100)], ""),
        ([rule("Scatter", 4, 0, 100)], ""),
        ([rule("Barrier", 4, 0, 0)], ""),
        ([rule("Scan", 4, 8, 8)], ""),
        ([rule("Gatherv", 4)], "no rules for MPI_Gatherv"),
        ([rule("Bcast", 4, 0, 100), rule("Bcast", 4, 100, 200)], "overlap"),
        ([rule("Bcast", 4, 7, 9), rule("Bcast", 4)], "overlap"),
        ([rule("Bcast", 0)], "no communicator"),
        ([rule("Bcast", 4, 9, 8)], "no messages of 9 to 8 B"),
        ([rule("Bcast", 4, 9, None)], "at 0, not at 9 B"),
        ([rule("Bcast", 4, algorithm="a\n7 3")], ""),
    ],
)
def test_refused(rules: list[Rule], line: str, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        rules_file(rules)
    golden.says(error.value, line)
    assert "\n" not in str(error.value)


def test_what_the_library_is_told() -> None:
    translation = openmpi.OpenMpi().translate(
        settings(rule("Bcast", 4), environment={"OMPI_MCA_btl_vader_eager_limit": "16384"}), None
    )
    assert translation.variables_for("/d/x.rules") == {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": "/d/x.rules",
        "OMPI_MCA_btl_vader_eager_limit": "16384",
    }
    assert all(line[0] in "#0123456789" for line in translation.text.splitlines())
    assert (
        "MPI_Bcast on 4 processes, all sizes: x; 100 us before, 50.0 us with it, 2.00 times"
        in translation.text
    )
    assert "'line?end'" in translation.text
    assert chosen(read(translation.text), "MPI_Bcast", 4, 1)[0] == 3


def test_without_rules_there_is_no_file() -> None:
    translation = translate(settings(environment={"OMPI_MCA_a": "1"}))
    assert translation.variables_for("/d/x") == {"OMPI_MCA_a": "1"}


def test_version_6_is_refused() -> None:
    with pytest.raises(RankwiseError, match="Open MPI 6"):
        openmpi.OpenMpi().translate(settings(rule("Bcast", 4), library="Open MPI v6.0.0, package"), None)
