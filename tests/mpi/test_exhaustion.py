"""Tables that can't grow: what has no row of its own is on the "other" rows, and the sums are exact."""

from __future__ import annotations

import libraries
import pytest
from jobs import RANKS, Place, assert_known_calls, partial
from recording import Recording

SIZES = 13  # of the broadcasts on each communicator


mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def recorded(place: Place, what: str, communicators: int, ranks: int, sizes: int = SIZES) -> Recording:
    with place.start(what, str(communicators), ranks=ranks) as job:
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert job.stderr == ""
    assert sorted(job.stdout.splitlines()) == [f"rank {rank} is done" for rank in range(ranks)]
    assert partial(done) == (0, "", 0)
    for procedure, times in (("MPI_Comm_dup", 1), ("MPI_Bcast", sizes), ("MPI_Comm_free", 1)):
        counted = {rank: calls for rank, (calls, _, _) in done.calls(procedure).items()}
        assert counted == dict.fromkeys(range(ranks), communicators * times)
    return done


def on_other_rows(done: Recording) -> int:
    [(calls,)] = done.rows(
        "SELECT coalesce(sum(calls), 0) FROM calls WHERE communicator = 2 AND size_bin = 127"
    )
    return int(str(calls))


def test_no_descriptor_is_left(place: Place) -> None:
    communicators = 100
    done = recorded(place, "no-descriptors", communicators, RANKS)
    assert_known_calls(done)
    assert done.dropped == {}
    inside = """SELECT rank, sum(calls) FROM calls JOIN regions ON regions.id = region
                JOIN procedures ON procedures.id = procedure
                WHERE regions.name = 'inside' AND procedures.name = 'MPI_Bcast' GROUP BY rank"""
    assert done.rows(inside) == [(rank, communicators * SIZES) for rank in range(RANKS)]


def test_no_memory_is_left(place: Place) -> None:
    done = recorded(place, "no-memory", 300, RANKS)
    assert_known_calls(done)
    assert set(done.dropped) == {"call_rows"}
    assert done.dropped["call_rows"] == on_other_rows(done)


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH[:1], ids=lambda mpi: mpi.name, indirect=True)
def test_an_address_space_that_is_limited(place: Place) -> None:
    limited = ["sh", "-c", 'ulimit -v 400000 && exec "$@"', "sh"]
    with place.start(under=[*limited, *place.rankwise()], ranks=2) as job:
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
    assert job.stderr == ""
    assert partial(done) == (0, "", 0)
    assert_known_calls(done, 2)


@pytest.mark.exhaustive  # 13 s
@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH[:1], ids=lambda mpi: mpi.name, indirect=True)
def test_100000_communicators_with_more_kinds_of_calls_than_rows(place: Place) -> None:
    communicators, known = 100_000, 10
    done = recorded(place, "beyond", communicators, 1, sizes=8)
    dropped = done.dropped
    [(records,)] = done.rows("SELECT count(*) FROM communicators WHERE id >= 3")
    assert int(str(records)) > communicators // 2
    assert dropped.pop("communicators") == communicators + len(("W", "S.0")) - int(str(records))
    assert dropped.pop("call_rows") == on_other_rows(done) > 0
    [(elsewhere,)] = done.rows("SELECT coalesce(sum(messages), 0) FROM messages WHERE destination = -2")
    assert dropped.pop("message_rows", 0) == elsewhere
    [(without_site,)] = done.rows(
        "SELECT sum(calls) FROM calls JOIN procedures ON procedures.id = procedure"
        " WHERE site IS NULL AND class <> 'environment' AND (communicator <> 2 OR size_bin <> 127)"
    )
    assert dropped.pop("site_rows") == without_site
    assert dropped == {}
    messages = sum(messages for messages, _ in done.messages().values())
    assert messages == communicators + known
