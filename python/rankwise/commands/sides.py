"""The profiles of the sides that are compared, on a command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.errors import RankwiseError


def add_profiles_of_sides(parser: argparse.ArgumentParser, *, one: str = "") -> None:
    """Declare the profiles, and --names and --reference of three sides or more.

    Args:
        parser: of the verb.
        one: what a single profile is for; '' = one is not enough.
    """
    parser.add_argument(
        "profiles",
        type=Path,
        nargs="+",
        metavar="F.rankwise",
        help=f"{one and f'{one}; or '}before and after; with several per side: those before, `--`,"
        " those after; further sides after another `--`",
    )
    parser.add_argument(
        "--names",
        type=lambda text: text.split(","),
        metavar="NAME,...",
        help="with three sides or more: their names (default: their directories or files)",
    )
    parser.add_argument(
        "--reference",
        metavar="NAME",
        help="with three sides or more: the side that the others are compared with (default: the first)",
    )


def are_several(arguments: argparse.Namespace) -> bool:
    """Return whether the sides have names, as three or more do, rather than being before and after."""
    return bool(arguments.names or arguments.reference or "--" in (arguments.other_side or ()))


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
    _refuse_options(other_side)
    if not other_side:
        raise RankwiseError(f"no profile after `--`: rankwise {verb} A1 A2 A3 -- B1 B2 B3")
    return profiles, [*map(Path, other_side)]


def named_sides(verb: str, arguments: argparse.Namespace) -> dict[str, list[Path]]:
    """Return the profiles of three sides or more by the names of the sides.

    Without --names, these are the directories of the sides if they differ, else the first files without
    their ending.

    Args:
        verb: that compares them.
        arguments: the profiles of the first side, the words after the first `--`, and --names.

    Raises:
        RankwiseError: a side has no profile, or names are missing or repeated.
    """
    after: list[str] = arguments.other_side or []
    _refuse_options([word for word in after if word != "--"])
    found: list[list[Path]] = [arguments.profiles, []]
    for word in after:
        if word == "--":
            found.append([])
        else:
            found[-1].append(Path(word))
    if not all(found):
        raise RankwiseError(f"a side has no profile: rankwise {verb} A1 A2 -- B1 B2 -- C1 C2")
    named = arguments.names or _names(found)
    if len(named) != len(found) or len({*named}) != len(named):
        raise RankwiseError(
            f"--names: give a different name for each of the {len(found)} sides, separated by commas"
        )
    return dict(zip(named, found, strict=True))


def _refuse_options(words: list[str]) -> None:
    if options := [word for word in words if word.startswith("-")]:
        raise RankwiseError(f"{options[0]}: options go before the profiles, not after `--`")


def _names(found: list[list[Path]]) -> list[str]:
    directories = [{path.absolute().parent.name for path in side} for side in found]
    one_each = [next(iter(names)) for names in directories if len(names) == 1]
    if len({*one_each}) == len(found):
        return one_each
    return [side[0].stem for side in found]
