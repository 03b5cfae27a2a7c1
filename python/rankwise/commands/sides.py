"""The profiles of the sides that are compared, on a command line."""

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


def named_sides(profiles: list[Path], after: list[str], names: list[str] | None) -> dict[str, list[Path]]:
    """Return the profiles of three sides or more by the names of the sides.

    Args:
        profiles: of the first side.
        after: the words after the first `--`: the other sides, with `--` between them.
        names: of all sides; None = the directory of each side if these differ, else the first file without
            its ending.

    Raises:
        RankwiseError: a side has no profile, or names are missing or repeated.
    """
    if options := [word for word in after if word.startswith("-") and word != "--"]:
        raise RankwiseError(f"{options[0]}: options go before the profiles, not after `--`")
    found: list[list[Path]] = [profiles, []]
    for word in after:
        if word == "--":
            found.append([])
        else:
            found[-1].append(Path(word))
    if not all(found):
        raise RankwiseError("a side has no profile: rankwise diff A1 A2 -- B1 B2 -- C1 C2")
    named = names or _names(found)
    if len(named) != len(found) or len({*named}) != len(named):
        raise RankwiseError(
            f"--names: give a different name for each of the {len(found)} sides, separated by commas"
        )
    return dict(zip(named, found, strict=True))


def _names(found: list[list[Path]]) -> list[str]:
    directories = [{path.absolute().parent.name for path in side} for side in found]
    one_each = [next(iter(names)) for names in directories if len(names) == 1]
    if len({*one_each}) == len(found):
        return one_each
    return [side[0].stem for side in found]
