"""`rankwise map`: runs whose best placement is known by construction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from profiles import write_traffic

from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.analysis.overview import run_facts
from rankwise.placement import files
from rankwise.placement.options import LAUNCHERS
from rankwise.placement.program import program_of

USER, INSIDE = "point-to-point", "in-collective"
Messages = list[tuple[int, int, str, int, int]]


def ring(ranks: int, kind: str = USER) -> Messages:
    """Each rank sends 2 messages of together 1,000 bytes to the next one."""
    return [(rank, (rank + 1) % ranks, kind, 2, 1000) for rank in range(ranks)]


def machine(path: Path, levels: Sequence[dict[str, object]], **keys: object) -> Path:
    path.write_text(json.dumps({"format": "rankwise-machine", "version": 1, "levels": levels, **keys}))
    return path


def mapped(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert main(["map", *map(str, words), "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert [seat["rank"] for seat in answer["bindings"]] == list(range(len(answer["bindings"])))
    return answer


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["map", *map(str, words)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("rankwise: ")
    assert captured.err.count("\n") == 1
    return captured.err


def by_level(effect: dict[str, Any]) -> dict[str, int]:
    return {level["level"]: level["bytes"] for level in effect["levels"]}


@pytest.fixture
def dealt_out(tmp_path: Path) -> Path:
    """A ring of 8 ranks, dealt out in turns to 4 nodes: no neighbours are together."""
    return write_traffic(tmp_path / "ring.rankwise", [f"n{rank % 4}" for rank in range(8)], ring(8))


def test_a_ring_that_was_dealt_out(dealt_out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = mapped(capsys, dealt_out)
    assert answer["bytes"] == answer["present"]["bytes_off_node"] == 8000
    assert answer["natural"]["bytes_off_node"] == answer["found"]["bytes_off_node"] == 4000
    assert (answer["messages"], answer["found"]["messages_off_node"]) == (16, 8)
    assert by_level(answer["present"]) == {"machine": 8000, "node": 0}
    assert by_level(answer["found"]) == {"machine": 4000, "node": 4000}
    assert (answer["present"]["cost"], answer["found"]["cost"]) == (8000, 4000)
    hosts = [seat["host"] for seat in answer["bindings"]]
    assert sorted(hosts) == ["n0", "n0", "n1", "n1", "n2", "n2", "n3", "n3"]
    assert sum(hosts[rank] == hosts[rank - 1] for rank in range(8)) == 4
    assert [rank for rank in range(8) if hosts[rank] != f"n{rank % 4}"] == answer["moved"]
    assert len(answer["moved"]) == 4  # each node keeps one of its two ranks; none can keep both


def test_what_is_printed(dealt_out: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    assert main(["map", str(dealt_out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Placement of 8 ranks on 4 nodes x 2 slots"
    rows = [" ".join(line.split()) for line in lines]
    golden.says(rows)
    assert "cost, byte hops 8000 4000 4000" in rows
    assert "% of bytes 100.0 50.0 50.0" in rows
    golden.says(rows, "0 B 3.91 KiB 3.91 KiB")
    assert "The cost falls by 50.0 %; 7.81 KiB off node become 3.91 KiB." in rows
    assert any("--machine gives" in row for row in rows)


def test_nothing_to_gain(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    profile = write_traffic(tmp_path / "F.rankwise", ["b", "b", "a", "a"], ring(4))
    answer = mapped(capsys, profile)
    assert (answer["gains"], answer["moved"]) == (False, [])
    assert [seat["host"] for seat in answer["bindings"]] == ["b", "b", "a", "a"]
    assert main(["map", str(profile), "-o", str(tmp_path / "placement")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    golden.says(shown)
    golden.says(shown)
    assert not (tmp_path / "placement").exists()


def test_a_node_of_which_nothing_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = write_traffic(tmp_path / "F.rankwise", ["a"] * 4, ring(4))
    assert main(["map", str(profile)]) == 0
    assert "All slots are equivalent: nothing to gain." in capsys.readouterr().out


def test_kinds_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = [(0, 1, USER, 1, 10), (2, 3, "one-sided", 1, 10)]
    profile = write_traffic(
        tmp_path / "F.rankwise",
        ["a", "a", "b", "b"],
        [*own, (2, 0, INSIDE, 1, 500), (1, 3, INSIDE, 1, 500), (-1, 0, INSIDE, 1, 7), (3, 3, USER, 1, 9)],
    )
    user, inside, both = (
        mapped(capsys, profile, "--kind", kind) for kind in ("program", "in-collective", "all")
    )
    assert (user["bytes"], user["gains"]) == (20, False)
    assert (inside["bytes"], inside["unplaced_bytes"]) == (1000, 7)
    assert (inside["present"]["bytes_off_node"], inside["found"]["bytes_off_node"]) == (1000, 0)
    assert (both["bytes"], both["found"]["bytes_off_node"]) == (1020, 20)


LEVELS = [{"name": "node"}, {"name": "package"}, {"name": "core"}]
TWO_PACKAGES = [
    {"level": "package", "os": 0, "children": [{"level": "core", "os": [0, 2]}]},
    {"level": "package", "os": 1, "children": [{"level": "core", "os": [1, 3]}]},
]


def test_inside_of_a_node(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    """Ranks 0 and 1, 2 and 3 talk; they were bound to processors 0 to 3, which alternate between packages."""
    given = machine(
        tmp_path / "m.json", LEVELS, tree=[{"level": "node", "name": "n0", "children": TWO_PACKAGES}]
    )
    pairs = [(0, 1, USER, 1, 100), (2, 3, USER, 1, 100)]
    bound = write_traffic(tmp_path / "bound.rankwise", ["n0.site"] * 4, pairs, ["0", "1", "2", "3"])
    answer = mapped(capsys, bound, "--machine", given)
    assert by_level(answer["present"]) == {"node": 200, "package": 0}
    assert by_level(answer["found"]) == {"node": 0, "package": 200}
    assert (answer["present"]["cost"], answer["found"]["cost"], answer["bound"]) == (200, 0, 4)
    known = {(0, 0, 0, 0), (0, 1, 1, 2), (1, 2, 0, 1), (1, 3, 1, 3)}
    seats = [(s["package"], s["core"], s["core_of_package"], s["cpu"]) for s in answer["bindings"]]
    assert set(seats) == known
    assert seats[0][0] == seats[1][0] != seats[2][0] == seats[3][0]
    loose = write_traffic(tmp_path / "loose.rankwise", ["n0"] * 4, pairs, ["0-3"] * 4)
    answer = mapped(capsys, loose, "--machine", given)
    assert (answer["gains"], answer["bound"]) == (False, 0)
    golden.says("\n\n".join(answer["notes"]), "4")


def test_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Off node 2 messages and 1,000 bytes cost 2 x 1 us + 1,000 B / 1,000 MB/s = 3 us, else 1.5 us."""
    levels: list[dict[str, object]] = [
        {"name": "machine", "cost": {"latency_us": 1, "bandwidth_mb_s": 1000}},
        {"name": "node", "count": 4, "names": "n[0-3]", "cost": {"latency_us": 0.5, "us_per_byte": 0.0005}},
        {"name": "core", "count": 3},
    ]
    profile = write_traffic(tmp_path / "F.rankwise", [f"n{rank % 4}" for rank in range(8)], ring(8))
    answer = mapped(capsys, profile, "--machine", machine(tmp_path / "m.json", levels), "--objective", "time")
    assert answer["unit"] == "us"
    assert answer["present"]["cost"] == pytest.approx(8 * 3)
    assert answer["found"]["cost"] == pytest.approx(4 * 3 + 4 * 1.5)
    del levels[1]["cost"]
    poor = machine(tmp_path / "poor.json", levels)
    assert "'node'" in refusal(capsys, profile, "--machine", poor, "--objective", "time")


def test_nodes_keep_their_number_of_ranks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = write_traffic(tmp_path / "F.rankwise", ["n0", "n1", "n0", "n1"], ring(4))
    given = machine(
        tmp_path / "m.json", [{"name": "node", "count": 3, "names": "n[0-2]"}, {"name": "core", "count": 4}]
    )
    answer = mapped(capsys, profile, "--machine", given)
    assert sorted(seat["host"] for seat in answer["bindings"]) == ["n0", "n0", "n1", "n1"]
    assert answer["found"]["bytes_off_node"] == 2000
    answer = mapped(capsys, profile, "--machine", given, "--all-slots")
    assert len({seat["host"] for seat in answer["bindings"]}) == 1
    assert answer["found"]["bytes_off_node"] == 0


def test_no_more_ranks_move_than_must(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pairs of ranks: which pairs share a node is all the same, so those that are there already stay."""
    pairs = [(rank, rank ^ 1, USER, 2, 1000) for rank in range(8)]
    ways = [["a" if rank in ours else "b" for rank in range(8)] for ours in combinations(range(8), 4)]
    best = [way for way in ways if all(way[rank] == way[rank ^ 1] for rank in range(8))]
    for number, present in enumerate(ways[::5]):
        profile = write_traffic(tmp_path / f"{number}.rankwise", present, pairs)
        answer = mapped(capsys, profile)
        least = min(sum(before != after for before, after in zip(present, way, strict=True)) for way in best)
        assert [seat["host"] for seat in answer["bindings"]] in best
        assert len(answer["moved"]) == least


def test_extra_belongs_to_both(dealt_out: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    golden.says(refusal(capsys, dealt_out, "--extra", "5"), "--extra .. --objective both")
    assert "--objective both" in refusal(capsys, "predict", dealt_out, "--shape", "2x4,4x2", "--extra", "5")


def test_another_machine(
    dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    other = machine(
        tmp_path / "m.json", [{"name": "switch", "count": 2}, {"name": "node", "count": 1, "names": "x[0-1]"}]
    )
    assert "no node 'n0'" in refusal(capsys, dealt_out, "--machine", other)
    golden.says(refusal(capsys, "predict", dealt_out, "--machine", other), "8")
    levels = [{"name": "node", "count": 2, "names": "x[0-1]"}, {"name": "core", "count": 4}]
    answer = mapped(capsys, "predict", dealt_out, "--machine", machine(other, levels))
    assert answer["present"] is None
    assert answer["found"]["bytes_off_node"] == 2000
    assert {seat["host"] for seat in answer["bindings"]} == {"x0", "x1"}
    assert "--machine" in refusal(capsys, "predict", dealt_out)


def test_why_there_is_no_present_placement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    profile = write_traffic(tmp_path / "F.rankwise", ["n0", "n0", "n1", "n1"], ring(4))
    levels: list[dict[str, object]] = [{"name": "node", "count": 4, "names": "x[0-3]"}]
    given = machine(tmp_path / "m.json", levels)

    def note() -> str:
        answer = mapped(capsys, "predict", profile, "--machine", given)
        assert answer["present"] is None
        [text] = answer["notes"]
        assert_facts(text, f": {answer['absent']}.")
        return str(answer["absent"])

    golden.says(note(), "'n0' .. 0")
    machine(given, [{**levels[0], "names": ["n0.a", "n0.b", "n1", "n2"]}])
    golden.says(note(), "'n0' .. 'n0.a' .. 'n0.b' .. 0")
    machine(given, [{**levels[0], "names": "n[0-3]"}])
    golden.says(note(), "2 .. 'n0' .. 1")
    with sqlite3.connect(profile) as connection:
        connection.execute("DELETE FROM ranks WHERE rank = 3")
    golden.says(note(), "3")


def test_same_input_same_output(dealt_out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (dealt_out, "--seed", 7, "--effort", 3)
    assert mapped(capsys, *words) == mapped(capsys, *words)


def test_partial(dealt_out: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    with sqlite3.connect(dealt_out) as connection:
        connection.execute("UPDATE run SET partial = 1, partial_reason = 'rank 3 ended early'")
        connection.execute("UPDATE ranks SET transport_state = 'refused' WHERE rank < 2")
    assert main(["map", str(dealt_out)]) == 0
    shown = capsys.readouterr().out
    assert "PARTIAL: rank 3 ended early" in shown
    golden.says(shown, "2")
    assert "within their node" not in shown
    with sqlite3.connect(dealt_out) as connection:
        connection.execute("DELETE FROM ranks WHERE rank = 5")
    assert "where rank 5 was" in refusal(capsys, dealt_out)


def test_what_hooks_did_not_see(dealt_out: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    with sqlite3.connect(dealt_out) as connection:
        connection.execute("UPDATE ranks SET transport_sees = 'between-nodes' WHERE rank < 3")
        connection.execute("UPDATE run SET only = ?", (json.dumps(["MPI_Bcast"]),))
    notes = mapped(capsys, dealt_out)["notes"]
    golden.says("\n\n".join(notes), "MPI_Bcast")
    assert_facts("\n\n".join(notes), "3")
    assert len(mapped(capsys, dealt_out, "--kind", "program")["notes"]) == 1


def test_bad_input(dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("no profile")
    assert "not a Rankwise profile" in refusal(capsys, tmp_path / "text")
    assert "not found" in refusal(capsys, tmp_path / "missing")
    assert "inside collectives" in refusal(capsys, dealt_out, "--kind", "in-collective")
    levels = [{"name": "node", "count": 4, "names": "n[0-3]"}, {"name": "core", "count": 1}]
    small = machine(tmp_path / "m.json", levels)
    assert "2 ranks were on 'n0'" in refusal(capsys, dealt_out, "--machine", small)
    assert "--seed" in refusal(capsys, dealt_out, "--seed", "-1")
    assert "not JSON" in refusal(capsys, dealt_out, "--machine", tmp_path / "text")


def test_files(dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The files tell the placement that is printed; the command has the program without its old launcher."""
    output = tmp_path / "placement"
    answer = mapped(capsys, dealt_out, "-o", output)
    rows = json.loads((output / "placement.json").read_text())
    assert [(row["rank"], row["host"]) for row in rows] == [
        (s["rank"], s["host"]) for s in answer["bindings"]
    ]
    assert {Path(file["path"]) for file in answer["files"]} == set(output.iterdir())
    commands = [file["command"] for file in answer["files"] if file["command"]]
    assert commands
    assert all(command.endswith(" ./heat --steps 100") for command in commands)
    assert "--force" in refusal(capsys, dealt_out, "-o", output)
    assert main(["map", str(dealt_out), "-o", str(output), "--force"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert f"Files in {output}" in shown
    assert {f"    {command}" for command in commands} <= set(shown)


@pytest.mark.parametrize(
    ("words", "library", "wanted", "names"),
    [
        (["mpirun", "./a"], "Open MPI v4.1.4, package: Debian", (), {"openmpi4.ranks", "openmpi.hosts"}),
        (["mpirun", "./a"], "Open MPI v5.0.1", (), {"openmpi5.ranks", "openmpi.hosts"}),
        (["mpiexec", "./a"], "MPICH Version:      4.2.1", (), {"mpich.hosts"}),
        (["mpirun", "./a"], "Intel(R) MPI Library 2021.18", (), {"intel.machines"}),
        (["srun", "./a"], "Open MPI v5.0.1", (), {"slurm.hosts"}),
        (["mpirun", "./a"], "Open MPI v4.1.4", ("--launcher", "slurm"), {"slurm.hosts"}),
    ],
)
def test_files_of_one_launcher(
    dealt_out: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    library: str,
    wanted: tuple[str, ...],
    names: set[str],
) -> None:
    with sqlite3.connect(dealt_out) as connection:
        row = (json.dumps(words), words[0], library)
        connection.execute("UPDATE run SET command = ?, launcher = ?, mpi_library = ?", row)
    mapped(capsys, dealt_out, "-o", tmp_path / "placement", *wanted)
    neutral = {"placement.csv", "placement.json"}
    assert {path.name for path in (tmp_path / "placement").iterdir()} == names | neutral


def test_files_of_all_launchers(
    dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    assert tuple(files.LAUNCHERS) == LAUNCHERS
    answer = mapped(capsys, dealt_out, "-o", tmp_path / "placement", "--launcher", "all")
    names = {Path(file["path"]).name for file in answer["files"]}
    assert len(names) == len({writer for each in files.LAUNCHERS.values() for writer in each}) + 2
    with sqlite3.connect(dealt_out) as connection:
        connection.execute("UPDATE run SET launcher = '', mpi_library = ''")
    unknown = mapped(capsys, dealt_out, "-o", tmp_path / "unknown")
    assert {Path(file["path"]).name for file in unknown["files"]} == names
    golden.says(refusal(capsys, dealt_out, "--launcher", "slurm"), "--launcher .. -o")


def test_the_command_keeps_the_options_of_the_run(
    dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["-x", "OMP_NUM_THREADS=2", "--map-by", "node", "--bind-to", "none", "-np", "6"]
    words = ["timeout", "60", "mpirun", *options, "./a", "-v"]
    with sqlite3.connect(dealt_out) as connection:
        row = (json.dumps(words), "Open MPI v4.1.4")
        connection.execute("UPDATE run SET command = ?, launcher = 'mpirun', mpi_library = ?", row)
    answer = mapped(capsys, dealt_out, "-o", tmp_path / "placement")
    hosts = tmp_path / "placement" / "openmpi4.ranks"
    [command] = [file["command"] for file in answer["files"] if file["path"] == str(hosts)]
    assert command == (
        f"timeout 60 mpirun -x OMP_NUM_THREADS=2 --bind-to none -np 6 --hostfile {hosts} --map-by seq ./a -v"
    )


def test_no_files_after_an_error(dealt_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "placement"
    refusal(capsys, dealt_out, "--kind", "in-collective", "-o", output)
    assert not output.exists()
    output.write_text("mine")
    assert "is a file" in refusal(capsys, dealt_out, "-o", output)
    assert output.read_text() == "mine"
    assert main(["map", str(dealt_out), "-o", str(output / "below")]) == 1
    assert capsys.readouterr().err.startswith(f"rankwise: {output / 'below'} can't be made")


@pytest.mark.parametrize(
    ("command", "program"),
    [
        (["mpirun", "-n", "4", "--map-by", "node", "./a", "-x"], ["./a", "-x"]),
        (["timeout", "60", "srun", "-n", "4", "numactl", "-m", "0", "./a"], ["numactl", "-m", "0", "./a"]),
        (["mpirun", "-n", "2", "./a", ":", "-n", "2", "./b"], []),
        ([], []),
    ],
)
def test_program_of_a_run(dealt_out: Path, command: list[str], program: list[str]) -> None:
    with sqlite3.connect(dealt_out) as connection:
        connection.execute("UPDATE run SET command = ?", (json.dumps(command),))
        assert program_of(run_facts(connection)) == program


def test_hostile_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    most = 2**62 - 1
    huge = write_traffic(
        tmp_path / "huge.rankwise", ["a", "b", "a", "b"], [(0, 1, USER, 1, most), (2, 3, USER, 1, most)]
    )
    answer = mapped(capsys, huge)
    assert answer["present"]["bytes_off_node"] == answer["bytes"] == 2 * most
    assert answer["found"]["bytes_off_node"] == 0
    negative = write_traffic(tmp_path / "negative.rankwise", ["a", "b"], [(0, 1, USER, 1, -5)])
    assert "can't be placed" in refusal(capsys, negative)
    with sqlite3.connect(huge) as connection:
        connection.execute("UPDATE run SET ranks_expected = 1 << 40")
    assert "at most" in refusal(capsys, huge)


def test_a_long_list_of_ranks_is_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = write_traffic(tmp_path / "F.rankwise", [f"n{rank % 100}" for rank in range(400)], ring(400))
    assert main(["map", str(profile)]) == 0
    assert " of 400 ranks move (see --json)\n" in capsys.readouterr().out


def test_a_long_command_is_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hosts = [f"n{rank // 2 % 300}" for rank in range(1200)]
    profile = write_traffic(tmp_path / "F.rankwise", hosts, ring(1200))
    assert main(["map", str(profile), "-o", str(tmp_path / "placement"), "--launcher", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("characters: see --json" in line for line in lines)
    assert max(map(len, lines)) <= 1004
