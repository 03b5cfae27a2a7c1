"""Counters of the network: a tree as the kernel's, whose numbers the test changes while a job runs.

What the keeper must have sampled before is known by its child, which it starts after the first sample.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import libraries
import pytest
from jobs import LIMIT_SECONDS, Place
from keepers import assert_gone, keeper_of, memory_of, wait_for_end
from recording import Recording

import patience

mpi = libraries.in_turn(libraries.ONE_OF_EACH)

FIRST = 1 << 40
PORT = "class/infiniband/mlx5_0/ports/1"
FULL = (1 << 32) - 1  # where the counters of old adapters stop
COUNTERS = {
    "counters/port_xmit_data": ("sent_bytes", 4, 1000),
    "counters/port_rcv_data": ("received_bytes", 4, 2000),
    "counters/port_xmit_packets": ("sent_packets", 1, 30),
    "counters/port_rcv_packets": ("received_packets", 1, 40),
    "counters/port_xmit_wait": ("wait_ticks", 1, 50),
    "counters/symbol_error": ("symbol_errors", 1, 6),
    "counters/port_xmit_discards": ("discards", 1, 0),
    "counters/link_downed": ("link_downs", 1, 1),
}


def tree(root: Path, start: int = FIRST) -> None:
    for name in COUNTERS:
        path = root / PORT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{start}\n")


def set_counter(root: Path, name: str, value: int) -> None:
    """Change the content of the file in place: it stays open."""
    with (root / PORT / name).open("r+b") as file:
        file.write(b"%d\n" % value)
        file.truncate()


def sampler_of(place: Place) -> int:
    keeper = keeper_of(memory_of(place.run_directory))

    def children() -> list[int]:
        return [int(pid) for pid in Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()]

    def started() -> list[int]:
        return [pid for pid in children() if Path(f"/proc/{pid}/comm").read_text() == "rankwise-ports\n"]

    patience.wait_until(started, LIMIT_SECONDS)
    [pid] = started()
    return pid


COLUMNS = [column for column, _, _ in COUNTERS.values()]


def counted(done: Recording) -> dict[str, object]:
    [row] = done.rows(f"SELECT {', '.join(COLUMNS)} FROM network_ports WHERE kind = 'infiniband'")
    return dict(zip(COLUMNS, row, strict=True))


@pytest.mark.parametrize("case", ["usual", "reset", "full"])
def test_what_was_counted_during_the_job(
    case: str, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A counter that was set back, or had no room left, is not known."""
    root, first = tmp_path / "sys", FULL if case == "full" else FIRST
    tree(root, first)
    monkeypatch.setenv("RANKWISE_TEST_SYSFS", str(root))
    with place.start("wait") as job:
        job.wait_until_ready()
        sampler_of(place)
        for name, (_, _, more) in COUNTERS.items():
            end = {"usual": first + more, "reset": more, "full": first}[case]
            set_counter(root, name, end)
        job.go_on()
        assert job.wait() == 0, job.stderr
    expected = {column: unit * more if case == "usual" else None for column, unit, more in COUNTERS.values()}
    assert counted(place.recorded(job)) == expected


def test_samples_add_up_to_what_was_counted(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "sys"
    tree(root)
    monkeypatch.setenv("RANKWISE_TEST_SYSFS", str(root))
    with place.start("wait") as job:
        job.wait_until_ready()
        sampler_of(place)
        begin = time.monotonic()
        for step in range(1, 4):
            set_counter(root, "counters/port_xmit_data", FIRST + 1000 * step)
            time.sleep(1.1)
        waited = time.monotonic() - begin
        job.go_on()
        assert job.wait() == 0, job.stderr
    done = place.recorded(job)
    [(total, seconds)] = done.rows("SELECT sent_bytes, end - begin FROM network_ports WHERE sent_bytes > 0")
    assert total == 4 * 3000
    assert isinstance(seconds, float)
    assert seconds >= waited
    samples = done.rows(
        "SELECT sent_bytes, begin, end FROM network_samples WHERE sent_bytes > 0 ORDER BY begin"
    )
    assert sum(int(str(sent)) for sent, _, _ in samples) == total
    assert all(float(str(begin)) < float(str(end)) for _, begin, end in samples)


def test_switched_off(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKWISE_NETWORK", "off")
    with place.start("wait") as job:
        job.wait_until_ready()
        keeper = keeper_of(memory_of(place.run_directory))
        assert Path(f"/proc/{keeper}/task/{keeper}/children").read_text() == ""
        job.go_on()
        assert job.wait() == 0, job.stderr
    assert place.recorded(job).rows("SELECT COUNT(*) FROM network_ports") == [(0,)]


def test_who_is_killed_leaves_no_sampler(place: Place) -> None:
    with place.start("wait") as job:
        job.wait_until_ready()
        sampler = sampler_of(place)
        os.kill(keeper_of(memory_of(place.run_directory)), signal.SIGKILL)
        wait_for_end(sampler)
        job.go_on()
        assert job.wait() == 0, job.stderr
    assert_gone(place.run_directory)
