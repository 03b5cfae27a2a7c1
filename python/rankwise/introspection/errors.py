"""The errors of MPI_Monitoring.h, as an exception."""

from __future__ import annotations

INTERNAL_FAIL = "MPI_M_INTERNAL_FAIL"
MULTIPLE_CALL = "MPI_M_MULTIPLE_CALL"

# Values and names as in MPI_Monitoring.h, and what each means for a Python program.
ERRORS = {
    1: (INTERNAL_FAIL, "no memory, a file can't be written, or Rankwise is switched off"),
    2: ("MPI_M_MPIT_FAIL", "MPI is not open, or the communicator is null or an intercommunicator"),
    3: ("MPI_M_MISSING_INIT", "MPI has been finalized"),
    4: ("MPI_M_SESSION_STILL_ACTIVE", "a session has not been suspended"),
    5: ("MPI_M_SESSION_NOT_SUSPENDED", "the session is active: leave its `with` block or suspend it first"),
    6: ("MPI_M_INVALID_MSID", "the session has been freed"),
    7: ("MPI_M_SESSION_OVERFLOW", "too many sessions: free some"),
    8: (MULTIPLE_CALL, "the session is already in this state"),
    9: ("MPI_M_INVALID_ROOT", "the root is not a rank of the session's communicator"),
    10: ("MPI_M_INVALID_FLAGS", "no such kind of messages"),
    11: ("MPI_M_INVALID_PROCEDURE", 'not a recorded MPI procedure; "MPI_Bcast" is one'),
    12: ("MPI_M_INVALID_COMM", "the communicator has other processes than the session's communicator"),
    13: ("MPI_M_INVALID_MACHINE", "no machine.json for these processes: rank 0 reported the reason"),
    14: ("MPI_M_INVALID_ORDER", "the new order does not contain each rank once"),
    15: (
        "MPI_M_NOT_VISIBLE",
        "messages inside collectives are not visible here: docs/reference/introspection.md",
    ),
}


class NotAllVisible(UserWarning):
    """Messages inside collectives are missing in what a session tells, because they can't be seen."""


class IntrospectionError(RuntimeError):
    """A function of MPI_Monitoring.h has refused.

    Attributes:
        name: of the error there, e.g. ``MPI_M_INVALID_ROOT``.
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name


def check(value: int) -> None:
    """Raise what a function of MPI_Monitoring.h has returned.

    Raises:
        IntrospectionError: it is not MPI_SUCCESS.
    """
    if value != 0:
        raise IntrospectionError(*ERRORS.get(value, (INTERNAL_FAIL, f"unknown error {value}")))
