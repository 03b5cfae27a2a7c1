"""Traces for viewers: each event is one of the profile, with its times, and nothing else is in the file."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from made_profile import Made

import rankwise
from golden import Golden, assert_complaint
from rankwise.__main__ import main
from traced_files import PerfettoFile, seconds

HOSTS = ("a", "a", "b", "b")
WIDTH, INTERVALS = 0.5, 8
SECOND = 10**9

ON_A_FULL_DISK = """
import resource, signal, sys
from rankwise.__main__ import main

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
most, profile, target = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
sys.exit(main(["export", profile, "--format", "otf2", "-o", target]))
"""


def run_of_four() -> Made:
    """Ranks 0 to 3 on two nodes: an Allreduce that rank 3 is late to, and two messages.

    Rank 0 receives from rank 2, which sends half a second after it began to wait. Rank 1 sends to rank 3,
    which receives a quarter of a second later. In interval k each rank made k calls.
    """
    made = Made(hosts=HOSTS)
    made.connection.execute("UPDATE run SET started = '2026-11-21T10:00:00+00:00'")
    for rank in range(4):
        made.call(rank, "MPI_Allreduce", 0.6, calls=10)
    made.call(0, "MPI_Recv", 1.0, calls=2)
    made.instance("MPI_Allreduce", 3, [1.0, 1.1, 1.2, 1.5], 1.6)
    made.wait(0, "MPI_Recv", 2, 2.0, 3.0, 2.5, size=800)
    made.wait(1, "MPI_Ssend", 3, 2.0, 2.75, 2.25, sends=True, size=900)
    made.insert("time_axis", begin=0.0, width=WIDTH, intervals=INTERVALS)
    for rank in range(4):
        made.insert("time_lines", rank=rank, begin=0.0, end=4.0)
        for interval in range(INTERVALS):
            made.insert(
                "intervals",
                rank=rank,
                interval=interval,
                seconds=WIDTH * (interval % 2),
                bytes_sent=1000 * interval * rank,
                messages=rank,
                calls=interval,
            )
    return made


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return run_of_four().write(tmp_path / "run.rankwise")


def perfetto(profile: Path, *more: str, name: str = "out.json") -> PerfettoFile:
    target = profile.parent / name
    assert main(["export", str(profile), "--format", "perfetto", "-o", str(target), *more]) == 0
    return PerfettoFile(target)


def test_each_node_is_a_process_and_each_rank_has_a_track(profile: Path) -> None:
    names = perfetto(profile).names
    assert sorted(name for (_, thread), name in names.items() if not thread) == [
        "a: ranks 0-1",
        "all ranks",
        "b: ranks 2-3",
    ]
    processes = {name: process for (process, _), name in names.items()}
    for rank, host in enumerate(("a: ranks 0-1",) * 2 + ("b: ranks 2-3",) * 2):
        assert processes[f"rank {rank}: sampled calls"] == processes[host]


def test_a_collective_is_a_span_of_each_member_with_what_it_waited(profile: Path) -> None:
    file = perfetto(profile)
    for rank, arrival in enumerate((1.0, 1.1, 1.2)):
        call, waiting, transfer = file.spans(f"rank {rank}: sampled calls")[:3]
        assert (call["name"], call["cat"]) == ("MPI_Allreduce", "sampled collective")
        assert (seconds(call["ts"]), seconds(call["dur"])) == (
            Fraction(str(arrival)),
            Fraction("1.6") - Fraction(str(arrival)),
        )
        assert call["args"] == {
            "communicator": "W",
            "number_of_call": 3,
            "bytes": 8,
            "waited_us": round(1e6 * (1.5 - arrival)),
            "waited_for_rank": 3,
        }
        assert (waiting["name"], transfer["name"]) == ("waits for rank 3", "transfer")
        assert seconds(waiting["ts"]) == seconds(call["ts"])
        assert seconds(waiting["ts"]) + seconds(waiting["dur"]) == seconds(transfer["ts"]) == Fraction("1.5")
        assert seconds(transfer["ts"]) + seconds(transfer["dur"]) == Fraction("1.6")
    [last] = file.spans("rank 3: sampled calls")
    assert last["args"]["waited_us"] == 0


def test_an_arrow_goes_from_where_the_other_side_was_posted(profile: Path) -> None:
    file = perfetto(profile)
    sent, ready = sorted(file.arrows(), key=lambda ends: ends[0]["name"], reverse=True)
    begin, end = sent
    assert (begin["name"], seconds(begin["ts"]), begin["dur"]) == ("MPI_Send", Fraction("2.5"), 0)
    assert file.names[begin["pid"], begin["tid"]] == "rank 2: posted, of sampled messages"
    assert begin["args"] == {"from_rank": 2, "to_rank": 0, "tag": 0, "bytes": 800, "communicator": "W"}
    assert (end["name"], seconds(end["ts"])) == ("transfer", Fraction("2.5"))
    assert file.names[end["pid"], end["tid"]] == "rank 0: sampled calls"
    begin, end = ready
    assert (begin["name"], seconds(begin["ts"])) == ("MPI_Recv", Fraction("2.25"))
    assert file.names[begin["pid"], begin["tid"]] == "rank 3: posted, of sampled messages"
    assert (end["name"], file.names[end["pid"], end["tid"]]) == ("transfer", "rank 1: sampled calls")
    assert {event["cat"] for event in file.of("s")} == {"message", "receive posted"}


def test_counters_are_the_sums_of_the_intervals(profile: Path) -> None:
    file = perfetto(profile)
    for rank in range(4):
        for counter, unit, sums in (
            ("bytes sent", "B/s", [1000 * at * rank for at in range(INTERVALS)]),
            ("messages", "1/s", [rank] * INTERVALS),
            ("calls", "1/s", [*range(INTERVALS)]),
            ("time in MPI", "%", [50 * (at % 2) for at in range(INTERVALS)]),
        ):
            levels = file.counter(f"rank {rank}: {counter}")
            values = [
                next(value for at, value in reversed(levels) if at <= Fraction(WIDTH) * number)
                for number in range(INTERVALS)
            ]
            assert [value * WIDTH for value in values] == sums
            assert {unit} == {
                key for event in file.of("C") for key in event["args"] if event["name"].endswith(counter)
            }
            assert levels[-1][1] == 0.0
    everybody = dict(file.counter("all ranks: calls"))
    assert everybody[Fraction(WIDTH) * 7] == 4 * 7 / WIDTH


def uneven(tmp_path: Path) -> tuple[Path, dict[str, list[float]]]:
    """A run whose ranks begin and end within intervals, and the sums of the counters of each, and of all.

    Rank 0 is in MPI all the time that it is there. Of rank 2 there is a call in an interval after its end.
    """
    made = Made(threads=2)
    made.connection.execute("UPDATE run SET started = '2026-11-21T10:00:00+00:00'")
    made.insert("time_axis", begin=0.125, width=0.3, intervals=5)
    spans = {0: (0.2, 1.5), 1: (0.5, 0.6), 2: (0.125, 1.0), 3: (0.3, 1.55)}
    sums = {}
    for rank, (begin, end) in spans.items():
        made.insert("time_lines", rank=rank, begin=begin, end=end)
        total = [0.0] * 4
        for interval in range(5):
            low, high = 0.125 + 0.3 * interval, 0.425 + 0.3 * interval
            there = max(min(high, end) - max(low, begin), 0.0)
            own = [there * 2 / (1 + rank), round(1e6 * there), 7 * (there > 0), 3 * (there > 0)]
            if rank == 2 and interval == 4:
                own = [0.01, 0, 0, 1]
            total = [before + more for before, more in zip(total, own, strict=True)]
            if any(own):
                columns = dict(zip(("seconds", "bytes_sent", "messages", "calls"), own, strict=True))
                made.insert("intervals", rank=rank, interval=interval, **columns)
        sums[f"rank {rank}"] = [total[0] / 2, *total[1:]]
    whole = [sum(column) for column in zip(*sums.values(), strict=True)]
    return made.write(tmp_path / "a.rankwise"), {**sums, "all ranks": [whole[0] / 4, *whole[1:]]}


def integral(levels: list[tuple[Fraction, float]]) -> float:
    """Each level holds until the next one."""
    return sum(
        float(until - at) * value
        for (at, value), (until, _) in zip(levels, [*levels[1:], levels[-1]], strict=True)
    )


def test_counters_integrate_to_the_sums_of_ranks_that_begin_and_end_within_intervals(tmp_path: Path) -> None:
    profile, sums = uneven(tmp_path)
    file = perfetto(profile)
    for whose, (in_mpi, *counts) in sums.items():
        levels = file.counter(f"{whose}: time in MPI")
        assert integral(levels) / 100 == pytest.approx(in_mpi, rel=1e-8)
        for counter, total in zip(("bytes sent", "messages", "calls"), counts, strict=True):
            assert integral(file.counter(f"{whose}: {counter}")) == pytest.approx(total, rel=1e-8)
    # Where it was there all the time, and nowhere else.
    assert file.counter("rank 0: time in MPI") == [(Fraction("0.2"), 100.0), (Fraction("1.5"), 0.0)]
    # None of it was there then: what is told of it is held for all of the interval.
    assert file.counter("rank 2: calls")[-2:] == [(Fraction("1.325"), 3.33333333), (Fraction("1.625"), 0.0)]


def test_it_says_what_is_a_sample(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = perfetto(profile)
    samples = "4 of 40 calls of collectives, 2 of 2 calls that receive, send or wait for messages"
    assert samples in file.about["calls"]
    [note] = file.of("X", "about")
    assert note["args"] == file.about
    size = (profile.parent / "out.json").stat().st_size
    facts = f"{profile.parent}/out.json: {len(file.events)} .. {size / 1024:.1f} KiB .. {samples}"
    assert_complaint(capsys.readouterr().err, facts)


def test_phases_are_spans(tmp_path: Path) -> None:
    made = Made()
    made.insert("time_axis", begin=0.0, width=0.1, intervals=40)
    for rank in range(4):
        made.insert("time_lines", rank=rank, begin=0.0, end=4.0)
        for interval in range(20, 40):
            made.insert("intervals", rank=rank, interval=interval, seconds=0.09, bytes_sent=10**6, calls=10)
    file = perfetto(made.write(tmp_path / "a.rankwise"))
    spans = file.spans("phases, found in the intervals of all ranks")
    assert [(span["name"], seconds(span["ts"]), seconds(span["dur"])) for span in spans] == [
        ("phase 1", 0, 2),
        ("phase 2", 2, 2),
    ]
    assert [span["args"]["bytes_sent"] for span in spans] == [0, 4 * 20 * 10**6]


def test_calls_of_several_threads_get_tracks_of_their_own(tmp_path: Path, golden: Golden) -> None:
    random_ = random.Random(5)
    made = Made(threads=4)
    spans = []
    for _ in range(300):
        began = random_.uniform(0, 5)
        length = random_.choice((0.0, 1e-9, random_.uniform(0, 0.2)))
        spans.append((round(began * SECOND), round((began + length) * SECOND)))
        made.wait(0, "MPI_Recv", random_.randrange(1, 4), began, began + length, began - 0.001)
    file = perfetto(made.write(tmp_path / "a.rankwise"))  # which checks that none overlap
    waits = file.of("X", "sampled wait")
    assert sorted(
        (round(wait["ts"] * 1000), round(wait["ts"] * 1000) + round(wait["dur"] * 1000)) for wait in waits
    ) == sorted(spans)
    golden.says(file.names.values(), "0 .. 2")


def test_clocks_that_are_off_make_no_arrow_and_no_negative_time(tmp_path: Path) -> None:
    made = Made()
    made.wait(0, "MPI_Recv", 1, -0.001, 0.5, 0.1)
    made.wait(2, "MPI_Recv", 3, 1.0, 1.1, 1.2)  # was sent after it had come
    file = perfetto(made.write(tmp_path / "a.rankwise"))
    assert [end["args"]["waited_us"] for _, end in file.arrows() if "args" in end] == []
    [(begin, _)] = file.arrows()
    assert begin["ts"] == 101_000
    assert file.about["arrows"].startswith("1 messages have none")


def test_a_wait_for_several_messages_ends_with_the_last(tmp_path: Path) -> None:
    made = Made()
    made.wait(0, "MPI_Waitall", 1, 1.0, 2.0, 1.25, posted_by="MPI_Irecv", size=10)
    made.insert(
        "wait_messages",
        wait=1,
        source=2,
        destination=0,
        communicator=3,
        bytes=20,
        procedure=made.connection.execute("SELECT id FROM procedures WHERE name = 'MPI_Irecv'").fetchone()[0],
        posted=0.9,
        other_procedure=made.connection.execute(
            "SELECT id FROM procedures WHERE name = 'MPI_Isend'"
        ).fetchone()[0],
        other_posted=1.5,
    )
    made.connection.execute("UPDATE waits SET messages = 5, sampled = 2")
    file = perfetto(made.write(tmp_path / "a.rankwise"))
    [call] = file.of("X", "sampled wait")
    assert call["args"] == {
        "communicator": "W",
        "messages": 5,
        "messages_in_sample": 2,
        "waited_us": 500_000,
        "waited_for_rank": 2,
        "bytes_of_known": 30,
    }
    assert [(begin["name"], seconds(end["ts"])) for begin, end in file.arrows()] == [
        ("MPI_Send", Fraction("1.5")),
        ("MPI_Isend", Fraction("1.5")),
    ]


def test_hostile_names_are_data(tmp_path: Path) -> None:
    hostile = '\x1b]0;owned\x07"},{"ph":"X\u202e\n\0</script>高'
    made = run_of_four()
    made.connection.execute("UPDATE communicators SET user_name = ?", (hostile,))
    made.connection.execute("UPDATE ranks SET host = ? WHERE rank > 1", (hostile,))
    made.insert("regions", id=1, name=hostile, path=hostile)
    made.connection.execute("UPDATE arrivals SET region = 1")
    file = perfetto(made.write(tmp_path / "a.rankwise"))
    assert f"{hostile}: ranks 2-3" in file.names.values()
    call = file.spans("rank 2: sampled calls")[0]
    assert call["args"]["region"] == hostile
    assert call["args"]["communicator"] == f'W "{hostile}"'


def test_a_profile_that_has_nothing_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    file = perfetto(Made().write(tmp_path / "a.rankwise"))
    assert {event["cat"] for event in file.of("X")} == {"about"}
    assert not file.of("C")
    golden.says(capsys.readouterr().err)


def test_a_part_of_the_run(profile: Path) -> None:
    file = perfetto(profile, "--rank", "0-1")
    assert {name for name in file.names.values() if "sampled calls" in name} == {
        "rank 0: sampled calls",
        "rank 1: sampled calls",
    }
    assert not file.of("s")  # those that the messages came from are left out
    assert file.counter("rank 1: calls")
    assert not file.counter("rank 2: calls")
    # Waiting is told of all members, also of those that are left out.
    assert file.spans("rank 0: sampled calls")[0]["args"]["waited_for_rank"] == 3
    file = perfetto(profile, "--call", "Recv", name="recv.json")
    assert {event["name"] for event in file.of("X", "sampled wait")} == {"MPI_Recv"}
    assert not file.of("X", "sampled collective")
    assert not file.of("C")  # what ranks did when is not known by procedure


def test_compressed(profile: Path) -> None:
    assert perfetto(profile, name="out.json.gz").events == perfetto(profile).events


def test_where_it_is_written_to(profile: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    words = ["export", str(profile), "--format", "perfetto", "-o"]
    directory = profile.parent / "there"
    directory.mkdir()
    assert main([*words, str(directory)]) == 0
    assert [file.name for file in directory.iterdir()] == ["run.json"]
    assert main([*words, str(directory)]) == 2
    golden.says(capsys.readouterr().err, "-o .. --force")
    assert main([*words, str(directory), "--force"]) == 0
    assert main([*words, str(directory / "new" / "b.json")]) == 0
    assert main([*words, str(profile / "b.json")]) == 2
    assert [file.name for file in (directory / "new").iterdir()] == ["b.json"]


def test_for_programs(profile: Path) -> None:
    target = profile.parent / "a.json"
    written = rankwise.open(profile).export_trace(target)
    assert (written.path, written.bytes) == (target, target.stat().st_size)
    assert written.events == len(PerfettoFile(target).events)
    with pytest.raises(rankwise.RankwiseError, match="there are perfetto, otf2"):
        rankwise.open(profile).export_trace(target, "otf")


class TestOtf2:
    """Read back by OTF2's own library."""

    @pytest.fixture
    def anchor(self, profile: Path) -> Path:
        pytest.importorskip("otf2")
        directory = profile.parent / "archive"
        assert main(["export", str(profile), "--format", "otf2", "-o", str(directory)]) == 0
        assert sorted(file.name for file in directory.iterdir()) == ["traces", "traces.def", "traces.otf2"]
        return directory / "traces.otf2"

    @staticmethod
    def events(anchor: Path) -> list[tuple[str, object]]:
        import otf2

        with otf2.reader.open(str(anchor)) as trace:
            events = [(location.name, event) for location, event in trace.events]
            assert trace.definitions.clock_properties.timer_resolution == SECOND
        for name in {name for name, _ in events}:
            times = [event.time for own, event in events if own == name]
            assert times == sorted(times)
        return events

    @staticmethod
    def of(events: list[tuple[str, object]], kind: str) -> list[tuple[str, object]]:
        return [(name, event) for name, event in events if type(event).__name__ == kind]

    def test_tree_and_communicators(self, anchor: Path) -> None:
        import otf2

        with otf2.reader.open(str(anchor)) as trace:
            nodes = {node.name: node for node in trace.definitions.system_tree_nodes}
            assert {name: node.class_name for name, node in nodes.items()} == {
                "machine": "machine",
                "a": "node",
                "b": "node",
            }
            assert [
                (location.name, location.group.name, location.group.system_tree_parent.name)
                for location in trace.definitions.locations
            ] == [(f"rank {rank}", f"rank {rank}", host) for rank, host in enumerate(HOSTS)]
            [world] = trace.definitions.comms
            assert world.name == "W"
            assert [member.name for member in world.group.members] == [f"rank {rank}" for rank in range(4)]
            assert {
                region.name: str(region.region_role).removeprefix("RegionRole.")
                for region in trace.definitions.regions
            } == {
                "MPI_Allreduce": "COLL_ALL2ALL",
                "MPI_Recv": "POINT2POINT",
                "MPI_Ssend": "POINT2POINT",
            }

    def test_collectives(self, anchor: Path) -> None:
        events = self.events(anchor)
        begins, ends = (self.of(events, f"MpiCollective{kind}") for kind in ("Begin", "End"))
        assert {(name, event.time) for name, event in begins} == {
            (f"rank {rank}", round(at * SECOND)) for rank, at in enumerate((1.0, 1.1, 1.2, 1.5))
        }
        for _, event in ends:
            assert (event.time, str(event.collective_op)) == (1.6 * SECOND, "CollectiveOp.ALLREDUCE")
            assert (event.communicator.name, event.size_sent, event.size_received) == ("W", 8, 0)
        waited = {
            name: {attribute.name: value for attribute, value in event.attributes.items()}
            for name, event in self.of(events, "Leave")
            if event.time == 1.6 * SECOND
        }
        assert waited["rank 1"] == {"waited": 400_000_000, "waited for rank": 3, "call": 3}
        assert waited["rank 3"] == {"waited": 0, "waited for rank": -1, "call": 3}

    def test_messages(self, anchor: Path) -> None:
        events = self.events(anchor)
        # Of the message from rank 1 the end is not known on the other side.
        [(sender, sent)], [(receiver, received)] = self.of(events, "MpiSend"), self.of(events, "MpiRecv")
        assert (sender, sent.time, sent.receiver) == ("rank 2", 2.5 * SECOND, 0)
        assert (receiver, received.time, received.sender) == ("rank 0", 3 * SECOND, 2)
        assert sent.msg_length == received.msg_length == 800
        assert sent.communicator.name == received.communicator.name == "W"

    def test_calls_and_counters(self, anchor: Path) -> None:
        events = self.events(anchor)
        for rank, number in enumerate((2, 2, 1, 1)):
            own = [pair for pair in events if pair[0] == f"rank {rank}"]
            assert len(self.of(own, "Enter")) == len(self.of(own, "Leave")) == number
            levels = {event.time: event.values for _, event in self.of(own, "Metric")}
            for interval in range(INTERVALS):
                share, *rates = levels[round(interval * WIDTH * SECOND)]
                assert share == 100 * (interval % 2)
                assert [rate * WIDTH for rate in rates] == [1000 * interval * rank, rank, interval]
            assert levels[round(INTERVALS * WIDTH * SECOND)] == [0.0] * 4

    def test_metrics_integrate_to_the_sums(self, tmp_path: Path) -> None:
        pytest.importorskip("otf2")
        profile, sums = uneven(tmp_path)
        assert main(["export", str(profile), "--format", "otf2", "-o", str(tmp_path / "out")]) == 0
        metrics = self.of(self.events(tmp_path / "out" / "traces.otf2"), "Metric")
        for rank in range(4):
            own = [event for name, event in metrics if name == f"rank {rank}"]
            for place, total in enumerate(sums[f"rank {rank}"]):
                levels = [(Fraction(event.time, SECOND), event.values[place]) for event in own]
                assert integral(levels) / (1 if place else 100) == pytest.approx(total, rel=1e-8)

    def test_otf2_print_reads_it(self, anchor: Path) -> None:
        command = shutil.which("otf2-print")
        if not command:
            pytest.skip("otf2-print is not installed (Debian: otf2-tools)")
        printed = subprocess.run([command, anchor], check=True, text=True, capture_output=True, timeout=60)
        assert printed.stdout.count("MPI_COLLECTIVE_END") == 4
        assert 'Communicator: "W"' in printed.stdout
        head = subprocess.run(
            [command, "-G", anchor], check=True, text=True, capture_output=True, timeout=60
        ).stdout
        assert "Date: 2026-11-21 10:00:00" in head

    def test_nothing_is_replaced_unasked(
        self, anchor: Path, capsys: pytest.CaptureFixture[str], golden: Golden
    ) -> None:
        words = [
            "export",
            str(anchor.parents[1] / "run.rankwise"),
            "--format",
            "otf2",
            "-o",
            str(anchor.parent),
        ]
        (anchor.parent / "traces" / "0.evt").write_text("")
        (anchor.parent / "mine").write_text("")
        assert main(words) == 2
        assert "already exists" in capsys.readouterr().err
        assert main([*words, "--force"]) == 0
        assert len(self.of(self.events(anchor), "Enter")) == 6
        assert (anchor.parent / "mine").exists()
        words[-1] = str(anchor)
        assert main(words) == 2
        golden.says(capsys.readouterr().err, "-o")

    @pytest.mark.parametrize("most", [0, 400, 700], ids=lambda most: f"{most} bytes")
    def test_a_full_disk(self, profile: Path, most: int) -> None:
        """No file may be larger: one line, and nothing is left, not even the directory."""
        pytest.importorskip("otf2")
        there = sorted(profile.parent.iterdir())
        target = profile.parent / "new" / "archive"
        done = subprocess.run(
            [sys.executable, "-c", ON_A_FULL_DISK, str(most), str(profile), str(target)],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (1, "")
        (line,) = done.stderr.splitlines()
        assert f"{target} can't be written: " in line
        assert sorted(profile.parent.iterdir()) == there

    def test_hostile_names_and_communicators_that_are_not_whole(self, tmp_path: Path) -> None:
        pytest.importorskip("otf2")
        made = run_of_four()
        made.connection.execute("UPDATE communicators SET user_name = ?", ("\x1b[2J高",))
        made.communicator(4, "W_a1", members="0-2,?")
        made.connection.execute("UPDATE waits SET communicator = 4")
        made.connection.execute("UPDATE wait_messages SET communicator = 4")
        profile = made.write(tmp_path / "a.rankwise")
        assert main(["export", str(profile), "--format", "otf2", "-o", str(tmp_path / "out")]) == 0
        events = self.events(tmp_path / "out" / "traces.otf2")
        assert {event.communicator.name for _, event in self.of(events, "MpiCollectiveEnd")} == {
            'W "\\x1b[2J高"'
        }
        assert not self.of(events, "MpiSend")
        assert len(self.of(events, "Enter")) == 6
