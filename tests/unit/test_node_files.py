"""Reading node files: the counters of all processes of a node, whole, cut, damaged, and in several files."""

from __future__ import annotations

import json
import os
import random
import resource
from pathlib import Path

import numpy as np
import pytest
from assembled import rows
from nodes_synthetic import SAVED_NS, node_file, write_nodes
from synthetic import Process, small_world, stamp, write_world

from exhaustive import repeated
from golden import Golden, assert_facts
from rankwise.errors import RankwiseError
from rankwise.profile.assemble import assemble
from rankwise.profile.collect import layout
from rankwise.profile.collect.counters import Counters, read_counters
from rankwise.profile.collect.holders import find_counters
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.node_files import read_entries, read_node_file

IMAGES = {
    f"node1.{4000 + rank}.0.counters": process.to_bytes() for rank, process in enumerate(small_world(2))
}
WHOLE = node_file(IMAGES)
TABLES = ("ranks", "communicators", "calls", "messages", "warnings", "run")


def written(directory: Path, data: bytes, name: str = "node1.0.77.0.node") -> Path:
    directory.mkdir(exist_ok=True)
    path = directory / name
    path.write_bytes(data)
    return path


def read_all(directory: Path) -> tuple[list[Counters], list[str]]:
    """Read a run directory: the counters, and the sentences about those that cannot be read."""
    files = find_counters(directory)
    read = [outcome for holder in files.holders for outcome in holder.read()]
    return (
        [outcome for outcome in read if isinstance(outcome, Counters)],
        [str(outcome) for outcome in (*files.failures, *read) if isinstance(outcome, RankwiseError)],
    )


def test_what_a_node_file_says_of_itself(tmp_path: Path) -> None:
    [name, other] = IMAGES
    path = written(tmp_path, node_file(IMAGES, {other: 12_345}, is_final=0))
    node = read_node_file(path)
    assert (node.path, node.host, node.keeper, node.is_final) == (path, "node1", 77, False)
    assert (node.saved_realtime_ns, node.saved_monotonic_ns) == (SAVED_NS, 17_000_000_000)
    assert node.save_every_ms == 10_000
    assert [(entry.name, entry.gone_ns) for entry in node.entries] == [(name, 0), (other, 12_345)]
    assert node.losses == ()


def test_entries_are_read_as_files_beside_it(tmp_path: Path) -> None:
    path = written(tmp_path / "run", node_file(IMAGES, {"node1.4001.0.counters": 5}))
    bare = [
        read_counters(written(tmp_path / "bare", image, name=name)) for name, image in sorted(IMAGES.items())
    ]
    entries = list(read_entries(path))
    assert len(entries) == 2
    for entry, alone in zip(entries, bare, strict=True):
        assert isinstance(entry, Counters)
        assert entry.path == tmp_path / "run" / alone.path.name
        assert entry.header == alone.header
        assert (entry.calls == alone.calls).all() and (entry.messages == alone.messages).all()
        assert entry.losses == ()
    assert [entry.gone_ns for entry in entries if isinstance(entry, Counters)] == [0, 5]
    [second] = read_entries(path, ["node1.4001.0.counters", "nobody"])
    assert isinstance(second, Counters) and second.header.world_rank == 1


def test_a_profile_is_the_same_from_files_and_from_node_files(tmp_path: Path) -> None:
    processes = small_world(5)
    names = write_nodes(tmp_path / "nodes", [process.to_bytes() for process in processes], ranks_a_node=2)
    for name, process in zip(names, processes, strict=True):
        process.write(tmp_path / "files", name.removesuffix(".counters"))
    made = [
        assemble(tmp_path / kind, tmp_path / f"{kind}.rankwise", exit_status=0) for kind in ("nodes", "files")
    ]
    assert [(profile.ranks_seen, profile.partial) for profile in made] == [(5, False)] * 2
    for table in TABLES:
        nodes, files = (rows(profile.path, f"SELECT * FROM {table}") for profile in made)
        assert nodes == files


def test_files_and_node_files_in_one_run_directory(tmp_path: Path) -> None:
    processes = small_world(4)
    write_nodes(tmp_path, [process.to_bytes() for process in processes[:3]], ranks_a_node=2)
    processes[3].write(tmp_path, "node9.1.0")
    counters, failures = read_all(tmp_path)
    assert sorted(process.header.world_rank for process in counters) == [0, 1, 2, 3]
    assert failures == []


@pytest.mark.parametrize("late", ["early", "middle", "bare"])
def test_of_counters_that_are_there_several_times_the_latest_count(tmp_path: Path, late: str) -> None:
    name = "node1.4000.0.counters"

    def image(place: str) -> bytes:
        return Process(
            header={"latest": stamp(9.25 if place == late else 9.0), "abort_code": len(place)}
        ).to_bytes()

    written(tmp_path, node_file({name: image("early"), "node1.1.0.counters": WHOLE}), "a.node")
    written(tmp_path, node_file({name: image("middle")}), "b.node")
    written(tmp_path, image("bare"), name)
    counters, failures = read_all(tmp_path)
    assert [(process.path.name, process.header.abort_code) for process in counters] == [(name, len(late))]
    assert len(failures) == 1  # the entry that is no counters is told all the same


def test_of_the_same_heartbeat_the_later_save_counts(tmp_path: Path) -> None:
    name = "node1.4000.0.counters"
    for file, saved_ns in (("a.node", SAVED_NS + 1), ("b.node", SAVED_NS)):
        written(tmp_path, node_file({name: IMAGES[name]}, saved_realtime_ns=saved_ns), file)
    [holder] = find_counters(tmp_path).holders
    assert holder.path.name == "a.node"


@pytest.mark.exhaustive  # 6 s
def test_a_node_file_cut_at_every_byte(tmp_path: Path, golden: Golden) -> None:
    path = written(tmp_path, WHOLE)
    whole = [entry for entry in read_entries(path) if isinstance(entry, Counters)]
    directory = layout.NODE_HEADER.itemsize + len(IMAGES) * layout.NODE_ENTRY.itemsize
    seen = []
    for length in range(len(WHOLE) - 1, -1, -1):
        os.truncate(path, length)
        if length < layout.NODE_HEADER.itemsize:
            with pytest.raises(RankwiseError) as error:
                read_node_file(path)
            golden.says(error.value)
            continue
        node = read_node_file(path)
        assert bool(node.losses) == (length < directory)
        read = list(read_entries(path))
        counters = [entry for entry in read if isinstance(entry, Counters)]
        # What is left is as it was, and whatever is missing is said.
        for after, before in zip(counters, whole, strict=False):
            assert after.header == before.header
            assert np.isin(after.calls["key"], before.calls["key"]).all()
        complete = len(counters) == len(whole) and all(
            len(after.calls) == len(before.calls) and len(after.messages) == len(before.messages)
            for after, before in zip(counters, whole, strict=True)
        )
        is_said = node.losses or len(counters) < len(read) or any(entry.losses for entry in counters)
        assert complete or is_said
        seen.append(len(counters))
    assert seen == sorted(seen, reverse=True)
    assert set(seen) == {0, 1, 2}


@repeated(700, 2000)
def test_flipped_bits_of_a_node_file(tmp_path: Path, times: int) -> None:
    generator = random.Random(16)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    used = [place for place, byte in enumerate(WHOLE) if byte]
    directory = layout.NODE_HEADER.itemsize + len(IMAGES) * layout.NODE_ENTRY.itemsize
    refused = reported = 0
    for _ in range(times):
        data = bytearray(WHOLE)
        for _ in range(generator.choice((1, 2, 16, 200))):
            place = generator.choice((generator.choice(used), generator.randrange(directory)))
            data[place] ^= 1 << generator.randrange(8)
        path = written(tmp_path, data)
        try:
            node = read_node_file(path)
            failures = [entry for entry in read_entries(path) if isinstance(entry, RankwiseError)]
            reported += bool(node.losses or failures)
        except RankwiseError as error:
            refused += 1
            failures = [error]
        assert all("\n" not in str(failure) for failure in failures)
    assert refused > times / 20
    assert reported > times / 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # KiB


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("magic", b"RANKWISE", ""),
        ("version", 2, "2 .. 1 .. 0.1.0"),
        ("byte_order", 0x04030201, "another byte order"),
        ("header_bytes", 8, ""),
        ("entry_bytes", 8, ""),
    ],
)
def test_what_is_not_understood_is_refused(
    tmp_path: Path, member: str, value: object, message: str, golden: Golden
) -> None:
    written(tmp_path, node_file(IMAGES, **{member: value}))
    written(tmp_path, IMAGES["node1.4000.0.counters"], "node2.1.0.counters")
    counters, [failure] = read_all(tmp_path)
    assert len(counters) == 1
    with pytest.raises(RankwiseError) as error:
        raise RankwiseError(failure)
    golden.says(error.value, message)


def test_a_damaged_entry_does_not_harm_the_others(tmp_path: Path) -> None:
    directory = np.frombuffer(WHOLE, layout.NODE_ENTRY, 2, layout.NODE_HEADER.itemsize)
    [_, good] = IMAGES
    for member, value in (
        ("name", b"../../../etc/passwd"),
        ("name", b"a/b.1.0.counters"),
        ("name", b""),
        ("name", good.encode()),
        ("offset", 2**64 - 1),
        ("offset", 3),
        ("bytes", 0),
    ):
        entries = directory.copy()
        entries[member][0] = value
        start = layout.NODE_HEADER.itemsize
        path = written(tmp_path, WHOLE[:start] + entries.tobytes() + WHOLE[start + entries.nbytes :])
        node = read_node_file(path)
        read = list(read_entries(path))
        [counters] = [entry for entry in read if isinstance(entry, Counters)]
        assert counters.path.name == good
        if value == good.encode():  # it comes first, so the second one of that name is passed over
            assert counters.header.world_rank == 0
        assert len(node.losses) + len(read) == 2


def test_entries_that_lie_upon_each_other_do_not_fill_the_memory(tmp_path: Path) -> None:
    image = IMAGES["node1.4000.0.counters"]
    data = bytearray(node_file({f"n.{number}.0.counters": b"" for number in range(1000)}) + image)
    entries = np.frombuffer(data, layout.NODE_ENTRY, 1000, layout.NODE_HEADER.itemsize)
    entries["bytes"] = len(image)
    path = written(tmp_path, data)
    node = read_node_file(path)
    assert 0 < len(node.entries) < 1000
    [loss] = node.losses
    assert_facts(loss, f"{1000 - len(node.entries)}")


def test_a_huge_file_of_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, node_file(IMAGES, entry_count=2**32 - 1))
    os.truncate(path, 1 << 40)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    node = read_node_file(path)
    assert [entry.name for entry in node.entries] == list(IMAGES)
    assert f"{2**32 - 1 - (1 << 16)} of {2**32 - 1} processes are missing" in node.losses[0]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 18  # KiB


def test_what_was_planted_is_not_touched(tmp_path: Path) -> None:
    run = write_world(tmp_path / "run", small_world(2))
    secret = written(tmp_path, WHOLE, "secret.node")
    (run / "link.node").symlink_to(secret)
    (run / "zero.node").symlink_to("/dev/zero")
    os.mkfifo(run / "pipe.node")
    (run / "directory.node").mkdir()
    made = assemble(run, tmp_path / "x.rankwise", exit_status=0)
    assert (made.ranks_seen, made.ranks_expected) == (2, 2)
    warnings = [text for (text,) in rows(made.path, "SELECT text FROM warnings")]
    for name in ("link", "zero", "pipe", "directory"):
        assert sum(f"{name}.node " in text for text in warnings) == 1


def test_damage_is_told_in_the_profile(tmp_path: Path, golden: Golden) -> None:
    run = tmp_path / "run"
    written(run, WHOLE[: -2 * layout.MESSAGES.itemsize - 1])  # tables have room for two more
    written(run, node_file(IMAGES, entry_count=3)[: layout.NODE_HEADER.itemsize + 100], "other.node")
    written(run, b"", "empty.node")
    made = assemble(run, tmp_path / "x.rankwise", exit_status=0)
    assert made.ranks_seen == 2
    warnings = " ".join(text for (text,) in rows(made.path, "SELECT text FROM warnings"))
    golden.says(warnings, "node1.4001.0.counters .. 1 .. 1")
    assert "other.node: 3 of 3 processes are missing" in warnings
    golden.says(warnings, "empty.node")


def test_nothing_but_damage(tmp_path: Path) -> None:
    written(tmp_path / "run", WHOLE[: layout.NODE_HEADER.itemsize])
    with pytest.raises(RankwiseError, match="2 of 2 processes are missing"):
        assemble(tmp_path / "run", tmp_path / "x.rankwise", exit_status=0)
    written(tmp_path / "run", node_file({}))
    with pytest.raises(RankwiseError, match="no MPI process was seen"):
        assemble(tmp_path / "run", tmp_path / "x.rankwise", exit_status=0)


def test_links_are_followed_where_asked(tmp_path: Path, golden: Golden) -> None:
    path = written(tmp_path / "memory", IMAGES["node1.4000.0.counters"], "node1.4000.0.counters")
    with path.open("rb") as file:
        link = tmp_path / "node1.4000.0.counters"
        link.symlink_to(f"/proc/{os.getpid()}/fd/{file.fileno()}")
        assert read_counters(link, follow_links=True).path == link
        with pytest.raises(RankwiseError) as error:
            read_counters(link)
        golden.says(error.value)
    with pytest.raises(RankwiseError, match="cannot be read: No such file"):
        read_counters(link, follow_links=True)
    link.unlink()
    link.symlink_to("/dev/zero")
    with pytest.raises(RankwiseError) as error:
        read_counters(link, follow_links=True)
    golden.says(error.value)


def test_a_node_file_that_is_saved_anew_is_read_as_it_is_then(tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE)
    [holder] = find_counters(tmp_path).holders
    [first, second] = IMAGES
    new = written(
        tmp_path, node_file({second: IMAGES[second], "x.1.0.counters": b"", first: IMAGES[first]}), "new"
    )
    new.replace(path)
    assert [entry.path.name for entry in holder.read() if isinstance(entry, Counters)] == [second, first]


def killed() -> Process:
    """Make a process that never came to its end."""
    nothing = {"stopping": (0, 0, 0), "stopped": (0, 0, 0)}
    return Process(header={"state": CONSTANTS["STATE_RUNNING"], "latest": stamp(9.0)} | nothing)


def test_a_process_lived_until_its_keeper_saw_it_gone(tmp_path: Path) -> None:
    name = "node1.4000.0.counters"
    gone_ns = stamp(12.5)[1]
    written(tmp_path / "run", node_file({name: killed().to_bytes()}, {name: gone_ns}))
    made = assemble(tmp_path / "run", tmp_path / "x.rankwise", exit_status=None)
    [(wall, gone, stopped)] = rows(made.path, "SELECT wall, gone, stopped FROM ranks")
    assert wall == 12.5
    assert gone == stopped
    assert rows(made.path, "SELECT * FROM warnings") == []


def test_what_was_counted_after_the_last_save_is_missed(tmp_path: Path, golden: Golden) -> None:
    run = tmp_path / "run"
    first, second, third = (f"node1.{number}.0.counters" for number in range(3))
    image = killed().to_bytes()
    written(run, node_file({first: image, second: image}, {second: 5}, is_final=0), "a.node")
    written(run, node_file({third: image}, is_final=0, saved_realtime_ns=SAVED_NS - 2_500_000_000), "b.node")
    (run / "ended").write_text(
        json.dumps({"host": "x", "monotonic_ns": 1, "realtime_ns": SAVED_NS + 10**9, "processes": {}})
    )
    made = assemble(run, tmp_path / "x.rankwise", exit_status=137)
    texts = [text for (text,) in rows(made.path, "SELECT text FROM warnings")]
    golden.says(texts, "2 .. node1 .. 3.5 s")
