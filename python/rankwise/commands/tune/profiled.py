"""Says what speaks against a profile that is to be tuned by."""

from __future__ import annotations

from pathlib import Path

from rankwise.commands.messages import say


def say_if_partial(path: Path) -> None:
    """Say that a profile is partial, if it is.

    Raises:
        RankwiseError: it can't be read.
    """
    from rankwise.analysis.opened import opened_profile
    from rankwise.analysis.overview import trust
    from rankwise.text.trust import partial_line

    with opened_profile(path) as connection:
        trusted = trust(connection)
    if not trusted.complete:
        say(partial_line(trusted))


def say_if_reordered(path: Path) -> None:
    """Say that a profile has other ranks than the command will have, if that is so.

    Raises:
        RankwiseError: it can't be read.
    """
    from rankwise.analysis.opened import opened_profile

    with opened_profile(path) as connection:
        query = "SELECT 1 FROM communicators WHERE name = 'W' AND reordered"
        reordered = connection.execute(query).fetchone()
    if reordered:
        say(
            f"in {path}, MPI_COMM_WORLD has another order than the launcher's, which the command will have: "
            "algorithms are timed between other processes; record the program without --place and --with"
        )
