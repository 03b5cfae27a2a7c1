"""The tables of the data set. Everything that writes, describes, hides or queries columns reads this list."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

VERSION = 1
"""Of the data set. Increment it when a column changes its meaning or is no longer written."""


class Type(Enum):
    """The type of a column: its name in SQL."""

    INTEGER = "BIGINT"
    REAL = "DOUBLE"
    TEXT = "VARCHAR"
    YES_NO = "BOOLEAN"
    INSTANT = "TIMESTAMP"  # UTC, without a time zone, microseconds


class Shows(Enum):
    """What a column may show about a user."""

    NOTHING = "nothing"
    USER = "user"  # a name: `--pseudonyms` replaces it
    WORK = "work"  # command lines, paths and names that the program chose: `--private` leaves it out


class Column(NamedTuple):
    """A column.

    Attributes:
        name: in all files and queries.
        type: of its values.
        meaning: with its unit; NULL is explained where it is possible.
        shows: what it may show about a user.
        identifies: columns of the same row that it is a number for, so that joins and groups are quick;
            NULL if one of them is.
    """

    name: str
    type: Type
    meaning: str
    shows: Shows = Shows.NOTHING
    identifies: tuple[str, ...] = ()


class Table(NamedTuple):
    """A table.

    Attributes:
        name: of the table and its folder.
        meaning: of a row.
        columns: in the order of the files.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]


_I, _R, _T, _B, _AT = Type.INTEGER, Type.REAL, Type.TEXT, Type.YES_NO, Type.INSTANT
_RUN = Column("run", _I, "the run: the same number in all tables")
_CLUSTER = Column("cluster", _T, "as `--cluster` names it; '' = not given")
_USER = Column("user", _T, "owner of the profile", Shows.USER)
_STARTED = Column("started", _AT, "when the first rank entered MPI_Init")
_PROGRAM = Column("program", _T, "name of the program; several are joined by ' + '")
_OF_RUN = (_RUN, _CLUSTER, _USER, _STARTED, _PROGRAM)
"""What questions choose runs by: in all tables of runs, so that choosing needs no join."""

TAGS = Table(
    "tags",
    "a tag of a run, such as its commit",
    (
        *_OF_RUN,
        Column("name", _T, "of the tag", Shows.WORK),
        Column("value", _T, "of the tag", Shows.WORK),
    ),
)

FINDINGS = Table(
    "findings",
    "a finding of a run: a problem with a cure, as `rankwise explain` lists it",
    (
        *_OF_RUN,
        Column("place", _I, "in the order of `rankwise explain`, from 1"),
        Column("rule", _T, "id of the rule"),
        Column("waste", _T, "kind of waste: waiting, oversubscription, binding, placement, algorithms, ..."),
        Column("confidence", _T, "high, medium or low"),
        Column("largest", _B, "whether it promises most of its kind in the run, with high confidence"),
        Column("upper_bound", _B, "whether the saving is the most possible; else it is an estimate"),
        Column("saved_percent", _R, "saving in percent of the run time"),
        Column("node_hours", _R, "saving in node hours"),
        Column("title", _T, "the finding in a sentence without its full stop", Shows.WORK),
        Column("command", _T, "verb and options of `rankwise` that help", Shows.WORK),
    ),
)

FAMILIES = Table(
    "families",
    "a family of communicators of a run: created in the same way. The most expensive ones",
    (
        *_OF_RUN,
        Column("family", _T, "name; (other) = all families without a row"),
        Column("user_name", _T, "name that the program gave; '' = none", Shows.WORK),
        Column("communicators", _I, "number of communicators"),
        Column("least_size", _I, "ranks of the smallest communicator"),
        Column("most_size", _I, "ranks of the largest communicator"),
        Column("calls", _I, "number of calls, of all ranks"),
        Column("bytes_sent", _I, "by calls, of all ranks"),
        Column("seconds", _R, "in calls, of all ranks"),
    ),
)

CALLS = Table(
    "calls",
    "an MPI procedure on a family of communicators of a run. The most expensive ones",
    (
        *_OF_RUN,
        Column("family", _T, "of communicators; (other) = all that has no row"),
        Column("procedure", _T, "name of the MPI procedure; (other) = all that has no row"),
        Column("calls", _I, "number of calls, of all ranks"),
        Column("bytes_sent", _I, "by these calls, of all ranks"),
        Column("bytes_received", _I, "by these calls, of all ranks"),
        Column("seconds", _R, "in these calls, of all ranks"),
    ),
)

HOSTS = Table(
    "hosts",
    "a host of a run",
    (
        *_OF_RUN,
        Column("host", _T, "name"),
        Column("ranks", _I, "number of ranks on it"),
        Column("outside_seconds", _R, "outside MPI, mean of its ranks"),
        Column(
            "slower_percent",
            _R,
            "by how much its ranks were outside MPI longer than the median of the other hosts, percent; "
            "negative = shorter; NULL = fewer than three hosts, or hosts with different numbers of ranks",
        ),
        Column("mpi_seconds", _R, "in MPI, mean of its ranks"),
        Column("bytes_on_node", _I, "of messages from its ranks to ranks of the same host"),
        Column("bytes_off_node", _I, "of messages from its ranks to ranks of other hosts"),
        Column("caused_seconds", _R, "waiting that its late ranks caused, of all ranks; NULL = unknown"),
        Column("caused_node_hours", _R, "caused_seconds / ranks of the run x its nodes / 3600"),
    ),
)

PORTS = Table(
    "ports",
    "a network port of a host during a run",
    (
        *_OF_RUN,
        Column("host", _T, "name"),
        Column("port", _T, "device, with the number of the port: mlx5_0/1"),
        Column("kind", _T, "infiniband, ethernet or slingshot"),
        Column("seconds", _R, "between the first sample and the last"),
        Column("sent_bytes", _I, "with headers; NULL = unknown, here and below"),
        Column("received_bytes", _I, "with headers"),
        Column(
            "blocked_percent", _R, "could not send, in percent of the time in which it had data; an estimate"
        ),
        Column("errors", _I, "of cable, port and adapter"),
        Column("retransmissions", _I, "that its adapter noticed"),
        Column("congestion_marks", _I, "notices of congestion that the adapter sent or received"),
    ),
)

RUNS = Table(
    "runs",
    "an MPI run that has ended: a profile",
    (
        *_OF_RUN,
        Column("source", _I, "identifies the file that the run was read from"),
        Column("job", _T, "id of the scheduler or launcher; '' = unknown"),
        Column(
            "job_of_user",
            _I,
            "a number for job and user: the same as in `accounting`",
            identifies=("job", "user"),
        ),
        Column("wall_seconds", _R, "of the longest rank, from MPI_Init to MPI_Finalize"),
        Column("arguments", _T, "of the program", Shows.WORK),
        Column("directory", _T, "working directory of the launch", Shows.WORK),
        Column("profile", _T, "path of the profile when it was read", Shows.WORK),
        Column("launcher", _T, "mpirun, srun, ...; '' = started directly"),
        Column("mpi_library", _T, "name and version"),
        Column(
            "kernel", _T, "release of Linux; several on different nodes are joined by ' + '; '' = unknown"
        ),
        Column("rankwise", _T, "version that recorded the run"),
        Column("ranks", _I, "processes in MPI_COMM_WORLD"),
        Column("nodes", _I, "number of hosts"),
        Column(
            "configuration",
            _I,
            "a number for user, program, arguments, ranks and nodes; NULL = the arguments are left out",
            identifies=("user", "program", "arguments", "ranks", "nodes"),
        ),
        Column("node_hours", _R, "nodes x wall_seconds / 3600"),
        Column("exit_status", _I, "of the launch; 128 + n = signal n; NULL = unknown"),
        Column("complete", _B, "whether every rank finished MPI_Finalize"),
        Column("run_seconds", _R, "between MPI_Init and MPI_Finalize, sum of all ranks"),
        Column("mpi_seconds", _R, "of run_seconds in MPI"),
        Column("waiting_seconds", _R, "of mpi_seconds waiting; NULL = unknown"),
        Column("init_finalize_seconds", _R, "in MPI_Init and MPI_Finalize, sum of all ranks"),
        Column("parallel_efficiency", _R, "0 to 1, as POP defines it; NULL = unknown"),
        Column("load_balance", _R, "0 to 1, as POP defines it; NULL = unknown"),
        Column("bytes_on_node", _I, "of messages between ranks of the same host"),
        Column("bytes_off_node", _I, "of messages between ranks of different hosts"),
        Column("limit", _T, "what limits the run, in a word or two; '' = no diagnosis"),
        Column("verdict", _T, "the same in a sentence or two", Shows.WORK),
        Column("waste_node_hours", _R, "largest saving that a finding of high confidence promises"),
        Column("waste", _T, "kind of that finding; '' = no finding promises any"),
    ),
)

ACCOUNTING = Table(
    "accounting",
    "a job that has ended, as the scheduler accounts for it",
    (
        Column("cluster", _T, "name; '' = not given"),
        Column("job", _T, "id, without letters for arrays and steps"),
        Column(
            "leader", _T, "id that its runs know: of the first component of a heterogeneous job; else `job`"
        ),
        Column("user", _T, "who submitted it", Shows.USER),
        Column(
            "job_of_user",
            _I,
            "a number for leader and user: the same as in `runs`",
            identifies=("leader", "user"),
        ),
        Column("account", _T, "that pays for it"),
        Column("partition", _T, "that it ran in"),
        Column("name", _T, "of the job; '' = not given", Shows.WORK),
        Column("state", _T, "at its end: COMPLETED, FAILED, TIMEOUT, ..."),
        Column("started", _AT, "when it started, in whole seconds: up to a second before"),
        Column(
            "allocation",
            _I,
            "a number for cluster, job, user and start",
            identifies=("cluster", "job", "user", "started"),
        ),
        Column("ended", _AT, "when it ended, in whole seconds: a run may have started up to a second later"),
        Column("nodes", _I, "allocated nodes"),
        Column("processors", _I, "allocated processors"),
        Column("node_hours", _R, "nodes x elapsed time; suspended time does not count"),
    ),
)

TABLES = (TAGS, FINDINGS, FAMILIES, CALLS, HOSTS, PORTS, RUNS, ACCOUNTING)
"""In the order of writing. Details do not count until `runs`, written last, has the file of their batch."""
OF_RUNS = tuple(table for table in TABLES if table is not ACCOUNTING)
"""The tables that profiles fill."""
