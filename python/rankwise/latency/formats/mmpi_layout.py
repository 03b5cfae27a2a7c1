"""How the lines of a log of mmpi look: widths and blanks, which differ between its versions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

LONGEST_LINE = 2000  # characters; names of hosts have at most 255
_LONGEST_NAME = LONGEST_LINE // 2 - 100

_FIRST = re.compile(
    r"(\S.*?)([ \t]+)(0+)([ \t]+)\1\2\3([ \t]+)(\S+)([ \t]+)(\S+)(\r?\n?)"
)  # the pair (0, 0): a name, its rank, and both once more
_OTHER = re.compile(r"(\S.*?)([ \t]+)(\d+)([ \t]+)(\S+)([ \t]+)(\S+)\s*")

# Blanks in front of each value where the longest values of the first lines leave it open: as in the program's
# own format `%s %03d  %s %03d     %6.2f  %6.2f`.
_BLANKS = (5, 2)


class WrongLineError(Exception):
    """Has the place of a line that is not part of the expected pair."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


@dataclass(frozen=True)
class Layout:
    """Widths and blanks of a line.

    Attributes:
        name: least width of a name, filled with blanks on the right.
        rank: least width of a rank, filled with zeros on the left.
        gaps: blanks behind a name, between the two ranks, in front of the mean and of the deviation.
        values: least widths of the mean and of the deviation, filled on the left.
        end: of a line.
    """

    name: int = 0
    rank: int = 3
    gaps: tuple[str, str, str, str] = (" ", "  ", "     ", "  ")
    values: tuple[int, int] = (6, 6)
    end: str = "\n"

    @staticmethod
    def of_lines(lines: Sequence[str]) -> tuple[Layout, list[str]]:
        """Find the layout in the lines of rank 0 with each rank; return it with the ranks' names.

        Raises:
            WrongLineError: a line is none of its pair.
        """
        match = _FIRST.fullmatch(lines[0]) if len(lines[0]) <= LONGEST_LINE else None
        if not match:
            raise WrongLineError(0)
        start = "".join(match.group(1, 2, 3, 4))
        names, behind, means, deviations = [], [], [], []
        for place, line in enumerate(lines):
            other = _OTHER.fullmatch(line, len(start)) if len(line) <= LONGEST_LINE else None
            if not line.startswith(start) or not other or int(other[3]) != place:
                raise WrongLineError(place)
            names.append(other[1])
            behind.append(other[2])
            means.append((other[4], other[5]))
            deviations.append((other[6], other[7]))
        filled = len(set(behind)) > 1
        width = max(len(name) + len(gap) for name, gap in zip(names, behind, strict=True)) - 1
        mean, deviation = (
            _column(column, blanks) for column, blanks in zip((means, deviations), _BLANKS, strict=True)
        )
        return Layout(
            name=width if filled else 0,
            rank=len(match[3]),
            gaps=(" " if filled else match[2], match[4], mean[0], deviation[0]),
            values=(mean[1], deviation[1]),
            end=match[9],
        ), names

    def ends(self, names: Sequence[str]) -> list[str]:
        """Return a name and its rank, as each end of a pair is written."""
        return [
            f"{one_line(name):<{self.name}}{self.gaps[0]}{rank:0{self.rank}d}"
            for rank, name in enumerate(names)
        ]

    def lines(
        self, ends: Sequence[str], first: int, mean: Sequence[float], deviation: Sequence[float]
    ) -> list[str]:
        """Return the lines of the pairs (first, first), (first, first + 1), ..."""
        _, between, before, apart = self.gaps
        pattern = f"%s{before}%{self.values[0]}.2f{apart}%{self.values[1]}.2f{self.end}"
        start = f"{ends[first]}{between}"
        others = ends[first:]
        return [start + pattern % each for each in zip(others, mean, deviation, strict=True)]


def one_line(name: str) -> str:
    """Return a name that a line of a log can hold, and that can be encoded."""
    shown = name.replace("\n", " ").strip(" \t")[:_LONGEST_NAME] or "?"
    try:
        shown.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return shown.encode("utf-8", "replace").decode()
    return shown


def _column(cells: Sequence[tuple[str, str]], blanks: int) -> tuple[str, int]:
    """Return the blanks in front of a column's values and their least width.

    Args:
        cells: blanks and value of some lines.
        blanks: in front of it, where the lines leave it open.
    """
    wide = min(len(gap) + len(value) for gap, value in cells)
    longest = max(len(value) for gap, value in cells if len(gap) + len(value) == wide)
    least = min(cells, key=lambda each: len(each[0]))[0]
    open_still = len(least) + longest == wide
    count = min(blanks, len(least)) if open_still else len(least)
    return least[:count], wide - count


@dataclass(frozen=True)
class Peculiar:
    """What a log holds besides numbers; all that is needed to write the same bytes again.

    Attributes:
        head: the first lines, each with its end; none: mmpi's own.
        layout: of the lines of pairs.
        odd: lines, from 0 behind the head, that look different from the layout.
        tail: what follows the last line.
    """

    head: tuple[str, ...] = ()
    layout: Layout = field(default_factory=Layout)
    odd: Mapping[int, str] = field(default_factory=dict)
    tail: str = ""

    def plain(self) -> dict[str, object]:
        """Return it as it can be written to JSON."""
        odd = {str(place): line for place, line in self.odd.items()}
        return {"head": list(self.head), "layout": asdict(self.layout), "odd": odd, "tail": self.tail}

    @staticmethod
    def of(plain: object) -> Peculiar:
        """Return what `plain` gave, which may have gone through a file; mmpi's own where it is none."""
        try:
            return Peculiar._checked(plain)
        except (AttributeError, KeyError, TypeError, ValueError):
            return Peculiar()

    @staticmethod
    def _checked(plain: object) -> Peculiar:
        if not isinstance(plain, Mapping):
            return Peculiar()
        layout = plain["layout"]
        name, rank, mean, deviation = (
            int(width) for width in (layout["name"], layout["rank"], *layout["values"])
        )
        before, between, first, second = (str(gap) for gap in layout["gaps"])
        texts = (before, between, first, second, layout["end"])
        if any(text.strip() for text in texts) or not 0 <= min(name, rank) <= max(name, rank) <= LONGEST_LINE:
            return Peculiar()
        return Peculiar(
            tuple(str(line) for line in plain["head"]),
            Layout(name, rank, (before, between, first, second), (mean, deviation), str(layout["end"])),
            {int(place): str(line) for place, line in plain["odd"].items()},
            str(plain["tail"]),
        )
