"""The profiles of two sides that are compared, on a command line."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError


def sides(verb: str, profiles: list[Path], other_side: list[str] | None) -> tuple[list[Path], list[Path]]:
    """Return the profiles before and after.

    Args:
        verb: that compares them.
        profiles: on the command line.
        other_side: the profiles after `--`; None without it.

    Raises:
        RankwiseError: there are other than two profiles, or none on one of the sides.
    """
    if other_side is None:
        if len(profiles) != 2:
            raise RankwiseError(
                f"give two profiles, or several per side: rankwise {verb} A1 A2 A3 -- B1 B2 B3"
            )
        return profiles[:1], profiles[1:]
    if options := [word for word in other_side if word.startswith("-")]:
        raise RankwiseError(f"{options[0]}: options go before the profiles, not after `--`")
    if not other_side:
        raise RankwiseError(f"no profile after `--`: rankwise {verb} A1 A2 A3 -- B1 B2 B3")
    return profiles, [*map(Path, other_side)]
