"""Two sides of runs beside each other: what is the same is found by its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rankwise.comparison.change import MORE, WORSE, Change, counted, timed
from rankwise.comparison.figures import KEYS, KINDS, METRICS, Amount, Figures, Key
from rankwise.profile.collect.programs import without_interpreter
from rankwise.profile.join.families import without_library


@dataclass(frozen=True)
class Side:
    """The runs of one side; the facts are those of the first one.

    Attributes:
        profiles: paths.
        program: command lines of the programs.
        ranks: of MPI_COMM_WORLD.
        nodes: that they ran on.
        mpi_library: name and version.
        started: when.
    """

    profiles: list[str]
    program: list[list[str]]
    ranks: int
    nodes: int
    mpi_library: str
    started: str


@dataclass(frozen=True)
class Figure:
    """A figure of the run as a whole.

    Attributes:
        name: one of `METRICS`.
        unit: of its values: s, %, B or nothing.
        value: on both sides.
    """

    name: str
    unit: str
    value: Change


@dataclass(frozen=True, kw_only=True)
class Changed:
    """Calls of one kind.

    Attributes:
        communicator: name of the family; '' = of all.
        user_name: that the program gave one of it.
        procedure: '' = all.
        region: '' = all.
        only: `before` or `after` if no run of the other side has such calls, else ''.
        seconds: mean over the ranks.
        calls: over the ranks.
        bytes_sent: over the ranks.
        percent_of_wall_change: the change of `seconds` in percent of that of the wall time; None if that is
            0.
    """

    communicator: str
    user_name: str
    procedure: str
    region: str
    only: str
    seconds: Change
    calls: Change
    bytes_sent: Change
    percent_of_wall_change: float | None


@dataclass(frozen=True)
class Comparison:
    """Two sides compared.

    Attributes:
        before: the one side.
        after: the other one.
        unlike: sentences on what makes the sides hard to compare.
        renamed: families of communicators that have another name after: it → that before.
        whole: figures of the runs as a whole, in the order of `METRICS`.
        rows: calls by each of `KINDS`, the largest change of time first.
    """

    before: Side
    after: Side
    unlike: list[str]
    renamed: dict[str, str]
    whole: list[Figure]
    rows: dict[str, list[Changed]]

    @property
    def noise_known(self) -> bool:
        """Whether there are runs enough to tell noise from a change."""
        return self.figure("wall").value.low is not None

    def figure(self, name: str) -> Figure:
        """Return one of `METRICS`.

        Raises:
            ValueError: there is none of this name.
        """
        for figure in self.whole:
            if figure.name == name:
                return figure
        raise ValueError(f"there is no metric {name!r}: there are {', '.join(METRICS)}")

    def is_worse_by_more(self, name: str, percent: float) -> bool:
        """Tell whether a figure has become more by more than this.

        The noise of the runs, where it is known, must not be able to explain all of it.
        """
        value = self.figure(name).value
        more = value.after > value.before * (1 + percent / 100)
        known = value.exact or value.low is not None
        return more and (value.verdict in (WORSE, MORE) or not known)


def compare(before: Sequence[Figures], after: Sequence[Figures]) -> Comparison:
    """Compare runs; those of a side are runs of the same job.

    Args:
        before: one or more.
        after: likewise.
    """
    same = _same_names(before, after)
    after = [_renamed(one, same) for one in after]
    whole = [Figure(name, unit, _whole(name, before, after)) for name, unit in METRICS.items()]
    sides = _side(before), _side(after)
    wall = whole[0].value.change
    rows = {kind: _rows(kind, before, after, wall) for kind in KINDS}
    return Comparison(*sides, _unlike(before, after), same, whole, rows)


def _same_names(before: Sequence[Figures], after: Sequence[Figures]) -> dict[str, str]:
    """Find families that are on one side only, and go by another name that no others have.

    A communicator that is made earlier in the program gives all later ones other names; those that the
    program gives itself stay.
    """
    there = [
        {family for one in side for (family,) in one.amounts["communicators"]} for side in (before, after)
    ]
    early, late = (
        _by_other_name(side, alone)
        for side, alone in ((before, there[0] - there[1]), (after, there[1] - there[0]))
    )
    return {late[name]: early[name] for name in late.keys() & early.keys()}


def _by_other_name(side: Sequence[Figures], families: set[str]) -> dict[str, str]:
    """Return the family of each name that the program gave, if it is that of one family only.

    Beside them what families of libraries are called in profiles that don't tell libraries.
    """
    pairs = {
        (f'"{name}"', family) for one in side for family, name in one.user_names.items() if family in families
    }
    pairs |= {(without_library(family), family) for family in families}
    names = Counter(name for name, _ in pairs)
    return {name: family for name, family in pairs if names[name] == 1}


def _renamed(one: Figures, names: dict[str, str]) -> Figures:
    amounts = {
        kind: {
            (names.get(key[0], key[0]), *key[1:]) if KEYS[kind][0] == "communicator" else key: amount
            for key, amount in amounts.items()
        }
        for kind, amounts in one.amounts.items()
    }
    user_names = {names.get(family, family): name for family, name in one.user_names.items()}
    return replace(one, amounts=amounts, user_names=user_names)


def _whole(name: str, before: Sequence[Figures], after: Sequence[Figures]) -> Change:
    compared = timed if METRICS[name] in ("s", "%") else counted
    return compared([one.whole[name] for one in before], [one.whole[name] for one in after])


def _rows(kind: str, before: Sequence[Figures], after: Sequence[Figures], wall: float) -> list[Changed]:
    keys = dict.fromkeys(key for side in (before, after) for one in side for key in one.amounts[kind])
    rows = [_changed(kind, key, before, after, wall) for key in keys]
    return sorted(rows, key=lambda row: -abs(row.seconds.change))


def _changed(
    kind: str, key: Key, before: Sequence[Figures], after: Sequence[Figures], wall: float
) -> Changed:
    early, late = ([one.amounts[kind].get(key, Amount()) for one in side] for side in (before, after))
    names = dict(zip(KEYS[kind], key, strict=True))
    family = names.get("communicator", "")
    user_names = [one.user_names[family] for one in (*before, *after) if family in one.user_names]
    there = [any(key in one.amounts[kind] for one in side) for side in (before, after)]
    seconds = timed([one.seconds for one in early], [one.seconds for one in late])
    return Changed(
        communicator=family,
        user_name=user_names[0] if user_names else "",
        procedure=names.get("procedure", ""),
        region=names.get("region", ""),
        only="" if all(there) else "before" if there[0] else "after",
        seconds=seconds,
        calls=counted([one.calls for one in early], [one.calls for one in late]),
        bytes_sent=counted([one.bytes_sent for one in early], [one.bytes_sent for one in late]),
        percent_of_wall_change=100 * seconds.change / wall if wall else None,
    )


def _side(runs: Sequence[Figures]) -> Side:
    run = runs[0].run
    paths = [str(one.path) for one in runs]
    return Side(paths, runs[0].programs, run.ranks, run.nodes, runs[0].mpi_library, run.started)


def _program_names(one: Figures) -> str:
    """Return the names of the programs, or of the scripts, without their arguments."""
    return " : ".join(without_interpreter(words)[0] for words in one.programs if words)


def _unlike(before: Sequence[Figures], after: Sequence[Figures]) -> list[str]:
    """Say what makes the sides hard to compare."""
    found = []
    for what, early, late in (
        ("ranks", *({str(one.run.ranks) for one in side} for side in (before, after))),
        ("MPI library", *({one.mpi_library for one in side} for side in (before, after))),
        ("program", *({_program_names(one) for one in side} for side in (before, after))),
    ):
        if early != late or len(early) > 1:
            found.append(f"other {what}: {', '.join(sorted(early))} before, {', '.join(sorted(late))} after")
    for one in (*before, *after):
        if not one.trust.complete:
            found.append(f"{one.path} is partial: {one.trust.partial_reason}")
        if one.trust.dropped_records:
            found.append(f"{one.path} lacks {one.trust.dropped_records} records that were dropped")
    return found
