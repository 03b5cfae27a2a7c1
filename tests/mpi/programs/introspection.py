"""rankwise.session on four ranks: checks what it tells where that is known by construction.

The arguments are a directory for files, and what can be seen of the messages inside collectives: `all` or
`none`. Rank 0 prints the messages inside a barrier, a line for each sender.
"""

import contextlib
import sys
import warnings
from pathlib import Path

import numpy as np

import rankwise
from rankwise.introspection.library import call

rankwise.preload()  # does nothing where the library is there
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
rank, n = world.Get_rank(), world.Get_size()
room = bytearray(10000)


def ring(size, distance=1):
    world.Sendrecv(
        [bytearray(size), MPI.BYTE], (rank + distance) % n, 0, [room, MPI.BYTE], (rank - distance) % n, 0
    )


def row(value, distance=1, size=n, own=rank):
    expected = np.zeros(size, np.int64)
    expected[(own + distance) % size] = value
    return expected


def assert_same(actual, expected):
    assert actual.dtype == np.int64
    assert actual.shape == expected.shape
    assert (actual == expected).all(), f"{actual} instead of {expected}"


@contextlib.contextmanager
def refused(name, kind=rankwise.IntrospectionError):
    try:
        yield
    except kind as error:
        assert name in str(error), error
        assert kind is not rankwise.IntrospectionError or error.name == name
    else:
        raise AssertionError(f"nothing was raised, instead of {name}")


def check_ring():
    ring(1)
    with rankwise.session(world) as s:
        assert s.active
        assert s.size == n
        for _ in range(3):
            ring(100 * (rank + 1))
    assert not s.active
    ring(1)
    for kind in ("user", "p2p", "sent", "asked", "all"):
        assert_same(s.messages(kind), row(3))
        assert_same(s.bytes(kind), row(300 * (rank + 1)))
    for kind in ("collective", "one-sided"):
        assert_same(s.messages(kind), row(0))
    if visible == "all":
        assert_same(s.messages("inside"), row(0))
    messages = np.array([row(3, own=i) for i in range(n)])
    volumes = np.array([row(300 * (i + 1), own=i) for i in range(n)])
    assert_same(s.matrix("user"), messages)
    assert_same(s.matrix("user", of="bytes"), volumes)
    on_root = s.matrix("user", of="bytes", root=1)
    if rank == 1:
        assert_same(on_root, volumes)
    else:
        assert on_root is None

    s.flush(place / "row", "user")
    assert_same(np.loadtxt(place / f"row.{rank}.prof", np.int64)[:, 2], row(3))
    s.flush(place / "matrix", "user", root=1)
    if rank == 1:
        assert_same(np.loadtxt(place / "matrix_counts.1.prof", np.int64), messages)
        assert_same(np.loadtxt(place / "matrix_sizes.1.prof", np.int64), volumes)

    s.resume()
    ring(50)
    s.suspend()
    assert_same(s.messages("user"), row(4))
    s.reset()
    assert_same(s.messages("user"), row(0))
    s.free()


def check_barrier():
    world.Barrier()
    with rankwise.session(world) as s:
        world.Barrier()
    defined = 1 - np.eye(n, dtype=np.int64)
    inside = 0 * defined
    if visible == "all":
        inside = s.matrix("inside")
    assert_same(s.matrix("collective"), defined)
    assert_same(s.matrix("asked"), defined)
    assert_same(s.matrix("sent"), inside)
    assert_same(s.matrix("all"), defined + inside)
    assert_same(s.matrix("user"), 0 * defined)
    if rank == 0:
        print("\n".join(" ".join(map(str, line)) for line in inside), flush=True)


def check_visible():
    with rankwise.session(world) as s:
        assert s.visible == visible
    reads = (
        (1, lambda: s.messages("sent")),
        (1, lambda: s.bytes("p2p")),
        (1, lambda: s.matrix("all", root=1)),
        (1, lambda: s.flush(place / "warned", "p2p")),
        (0, lambda: s.matrix("asked")),
        (0, lambda: s.messages("user")),
    )
    for has_inside, read in reads:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read()
        expected = has_inside and visible != "all" and rank == 0
        assert [warning.category for warning in caught] == [rankwise.NotAllVisible] * expected, caught
        assert all(warning.filename == __file__ for warning in caught)
    if visible == "none":
        for refuse in (s.messages, s.bytes, s.matrix):
            with refused("MPI_M_NOT_VISIBLE"):
                refuse("inside")
        with refused("MPI_M_NOT_VISIBLE"):
            s.flush(place / "never", "inside")
    s.free()


def check_halves():
    """A session sees what its processes send to each other on the world, and nothing else."""
    half = world.Split(rank % 2, rank)
    with rankwise.session(half) as s:
        ring(10)
        ring(20, distance=2)
    assert_same(s.messages("user"), row(1, size=n // 2, own=rank // 2))
    assert_same(s.bytes("user"), row(20, size=n // 2, own=rank // 2))
    s.free()
    half.Free()


def check_one_sided():
    window = MPI.Win.Allocate(64, comm=world)
    data = bytearray(8)
    window.Fence()
    with rankwise.session(world) as s:
        window.Put([data, MPI.BYTE], (rank + 1) % n)
        window.Fence()
    assert_same(s.messages("one-sided"), row(1))
    assert_same(s.bytes("one-sided"), row(8))
    window.Free()


def check_so_far():
    alone = world.Dup()
    mine, total = np.ones(10), np.zeros(10)
    alone.Barrier()
    before = rankwise.so_far(alone, "MPI_Allreduce")
    assert before == (0, 0, 0, 0)
    alone.Allreduce(mine, total)
    alone.Allreduce(mine, total)
    after = rankwise.so_far(alone, "MPI_Allreduce")
    assert after[1:] == (2, 160, 0), after
    collectives = rankwise.so_far(alone)
    assert collectives.calls == 3
    assert collectives.seconds > after.seconds > 0
    with refused("MPI_M_INVALID_PROCEDURE"):
        rankwise.so_far(alone, "MPI_Nothing")
    alone.Free()
    with refused("MPI_M_MPIT_FAIL"):
        rankwise.so_far(alone)


def check_wrong_use():
    rankwise.preload()
    with refused("not str", TypeError):
        rankwise.session("world")
    with refused("MPI_M_MPIT_FAIL"):
        rankwise.session(MPI.COMM_NULL)
    with contextlib.suppress(ZeroDivisionError), rankwise.session(world) as s:
        for read in (s.messages, s.matrix, s.reset, s.free):
            with refused("MPI_M_SESSION_NOT_SUSPENDED"):
                read()
        with refused("MPI_M_MULTIPLE_CALL"):
            s.resume()
        1 / 0  # noqa: B018
    with refused("MPI_M_MULTIPLE_CALL"):
        s.suspend()
    with refused("MPI_M_INVALID_ROOT"):
        s.matrix(root=n)
    with refused("MPI_M_INTERNAL_FAIL"):
        s.flush(place / "nowhere" / "row")
    with refused("MPI_M_INTERNAL_FAIL"):  # on all processes
        s.flush(place / "nowhere" / "matrix", root=1)
    with refused("the kinds are sent, asked", ValueError):
        s.messages("everything")
    with refused("messages or of bytes", ValueError):
        s.matrix(of="time")
    s.free()
    for use in (s.messages, s.matrix, s.resume, s.suspend, s.reset, s.free):
        with refused("MPI_M_INVALID_MSID"):
            use()


def check_garbage():
    """A session goes with its last reference, but not where other processes would be needed for that."""
    s = rankwise.session(world)
    number = s._id
    del s
    with refused("MPI_M_INVALID_MSID"):
        call("MPI_M_suspend", number)
    copy = world.Dup()
    with rankwise.session(copy) as s:
        pass
    number = s._id
    copy.Free()
    del s
    call("MPI_M_free", number)


place, visible = Path(sys.argv[1]), sys.argv[2]
check_ring()
check_barrier()
check_visible()
check_halves()
check_one_sided()
check_so_far()
check_wrong_use()
check_garbage()

with rankwise.session(world) as last:
    pass
MPI.Finalize()
with refused("MPI_M_MISSING_INIT"):
    last.messages()
with refused("MPI_M_MPIT_FAIL"):
    rankwise.session(world)
