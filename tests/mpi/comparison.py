"""Two runs of one program, whose profiles must hold the same figures."""

from __future__ import annotations

from recording import Recording

COUNTED = (
    """SELECT rank, communicators.name, regions.path, procedures.name, size_bin, SUM(calls),
              SUM(bytes_sent), SUM(bytes_received)
       FROM calls JOIN communicators ON communicators.id = calls.communicator
       JOIN regions ON regions.id = calls.region JOIN procedures ON procedures.id = calls.procedure
       -- How often a program must ask until something has come is another matter each time.
       WHERE communicators.name = '(none)'
       OR procedures.name NOT LIKE 'MPI_Test%' AND procedures.name NOT LIKE '%probe'
       GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5""",
    "SELECT name, members, topology, dims FROM communicators ORDER BY name",
    "SELECT text FROM warnings ORDER BY id",
    "SELECT rank, what, count FROM dropped ORDER BY 1, 2",
)
# By kind: those inside collectives are the library's own matter, from version to version.
MESSAGES = """SELECT source, destination, communicators.name, kind, procedures.name, messages, bytes
       FROM messages JOIN communicators ON communicators.id = messages.communicator
       JOIN procedures ON procedures.id = messages.procedure
       WHERE kind <> ? ORDER BY 1, 2, 3, 4, 5"""


def assert_the_same(here: Recording, there: Recording, *, without: str = "") -> None:
    """All figures that don't depend on time; without the messages of one kind if it is named."""
    for query in COUNTED:
        assert there.rows(query) == here.rows(query)
    assert there.rows(MESSAGES, without) == here.rows(MESSAGES, without)
