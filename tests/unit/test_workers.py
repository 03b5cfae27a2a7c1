"""Sharing work out: the order stays, the memory is bounded, and a worker that is killed is one clear line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from rankwise.errors import RankwiseError
from rankwise.profile.collect.workers import Workers

# The helper of multiprocessing that outlives the workers ends with this process, or with the first such test.
pytestmark = pytest.mark.filterwarnings("ignore:resource_tracker")


@pytest.mark.parametrize("count", [0, 2])
def test_what_is_made_comes_in_the_order_of_the_items(count: int) -> None:
    with Workers(count) as workers:
        assert workers.several == (count > 0)
        assert list(workers.map(abs, range(-20, 0))) == list(range(20, 0, -1))


@pytest.mark.parametrize("count", [0, 2])
def test_no_more_is_begun_than_is_taken(count: int) -> None:
    begun: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1, 101):
            begun.append(number)
            yield number

    with Workers(count) as workers:
        made = workers.map(abs, items())
        assert next(made) == 1
        assert len(begun) <= 1 + 2 * count
        assert list(made) == list(range(2, 101))


def test_a_worker_that_is_killed_is_one_line() -> None:
    with (
        Workers(1) as workers,
        pytest.raises(RankwiseError, match="killed") as error,
    ):
        list(workers.map(os._exit, [9]))
    assert error.value.exit_status == 1
    assert "\n" not in str(error.value)


def test_what_a_worker_complains_of_is_heard() -> None:
    with Workers(1) as workers, pytest.raises(ValueError, match="invalid literal"):
        list(workers.map(int, ["x"]))


def test_workers_end_with_a_parent_that_is_killed() -> None:
    program = (
        "import os, signal\n"
        "from rankwise.profile.collect.workers import Workers\n"
        "if __name__ == '__main__':\n"
        "    with Workers(1) as workers:\n"
        "        made = workers.map(os.getpgid, [0] * 4)\n"
        "        next(made)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    # Whoever holds the other end of its output is one of its workers.
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.read() == b""
        assert process.wait() == -signal.SIGKILL
