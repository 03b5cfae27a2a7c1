"""Compares two sides of runs: entries are matched by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rankwise.comparison.change import MORE, WORSE, Change, counted, timed
from rankwise.comparison.estimates import (
    FACTORS,
    TIME_IN_MPI,
    Estimated,
    Ranges,
    estimated,
    factor_ranges,
    time_in_mpi_ranges,
)
from rankwise.comparison.figures import KEYS, KINDS, METRICS, Amount, Figures, Key
from rankwise.comparison.findings import FindingChange, finding_changes
from rankwise.comparison.places import SiteKey, moved_sites
from rankwise.findings.search import Findings
from rankwise.profile.collect.programs import without_interpreter
from rankwise.profile.join.families import without_library
from rankwise.text.processors import lacking_text


@dataclass(frozen=True, kw_only=True)
class Side:
    """The runs of one side; the facts are from the first run.

    Attributes:
        profiles: paths.
        program: command lines of the programs.
        ranks: of MPI_COMM_WORLD.
        nodes: number of nodes.
        mpi_library: name and version.
        started: time of the start.
        limit: the most frequent limiting factor of the runs, in a word or two.
        verdict: the same in a sentence or two, from the first run with this factor.
        limited_runs: number of runs with this factor.
    """

    profiles: list[str]
    program: list[list[str]]
    ranks: int
    nodes: int
    mpi_library: str
    started: str
    limit: str
    verdict: str
    limited_runs: int


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
        communicator: name of the family; '' = all.
        user_name: name that the program gave to a communicator of the family.
        procedure: '' = all.
        region: '' = all.
        site: call site after: `halo.c:42`, or the program or library if the line is unknown; '' = all, or
            unknown.
        site_before: call site before, if only its line differs; else ''.
        function: that contains the site; '' = all, or unknown.
        only: `before` or `after` if no run of the other side has such calls, else ''.
        seconds: mean per rank.
        calls: sum over all ranks.
        bytes_sent: sum over all ranks.
        percent_of_wall_change: the change of `seconds` in percent of the change of the wall time; None if the
            latter is 0.
    """

    communicator: str
    user_name: str
    procedure: str
    region: str
    site: str
    site_before: str
    function: str
    only: str
    seconds: Change
    calls: Change
    bytes_sent: Change
    percent_of_wall_change: float | None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two sides compared.

    Attributes:
        before: the first side.
        after: the second side.
        unlike: sentences on what makes the sides hard to compare.
        renamed: families of communicators with different names: name after → name before.
        whole: figures of the runs as a whole, in the order of `METRICS`.
        time_in_mpi: its parts, seconds, mean per rank, in the order of `TIME_IN_MPI`.
        efficiency: factors from 0 to 1, in the order of `FACTORS`.
        findings: of all runs.
        rows: calls by each of `KINDS`, the largest change of time first.
    """

    before: Side
    after: Side
    unlike: list[str]
    renamed: dict[str, str]
    whole: list[Figure]
    time_in_mpi: list[Estimated]
    efficiency: list[Estimated]
    findings: list[FindingChange]
    rows: dict[str, list[Changed]]

    @property
    def noise_known(self) -> bool:
        """Whether there are enough runs to separate a change from noise."""
        return self.figure("wall").value.low is not None

    def figure(self, name: str) -> Figure:
        """Return one of `METRICS`.

        Raises:
            ValueError: there is no metric of this name.
        """
        for figure in self.whole:
            if figure.name == name:
                return figure
        raise ValueError(f"there is no metric {name!r}; the metrics are {', '.join(METRICS)}")

    def is_worse_by_more(self, name: str, percent: float) -> bool:
        """Return whether a figure has increased by more than this percentage.

        If the noise of the runs is known, the increase must also be significant.
        """
        value = self.figure(name).value
        more = value.after > value.before * (1 + percent / 100)
        known = value.exact or value.low is not None
        return more and (value.verdict in (WORSE, MORE) or not known)


def compare(before: Sequence[Figures], after: Sequence[Figures]) -> Comparison:
    """Compare two sides; each has one or more runs of the same job.

    Args:
        before: the runs of the first side.
        after: the runs of the second side.
    """
    same = _same_names(before, after)
    moved = moved_sites(_sites(before), _sites(after))
    after = [_renamed(run, same, moved) for run in after]
    whole = [Figure(name, unit, _whole(name, before, after)) for name, unit in METRICS.items()]
    wall = whole[0].value.change
    rows = {kind: _rows(kind, before, after, wall) for kind in KINDS}
    now = {old: new for new, old in moved.items()}
    known = _sites(before) and _sites(after)
    rows["sites"] = [_where_now(row, now) for row in rows["sites"]] if known else []
    parts, factors = (
        [[ranges_of(run) for run in side] for side in (before, after)]
        for ranges_of in (_time_in_mpi, _factors)
    )
    return Comparison(
        before=_side(before),
        after=_side(after),
        unlike=_unlike(before, after),
        renamed=same,
        whole=whole,
        time_in_mpi=estimated(TIME_IN_MPI, *parts),
        efficiency=estimated(FACTORS, *factors),
        findings=finding_changes(_findings(before), _findings(after), same),
        rows=rows,
    )


def _sites(side: Sequence[Figures]) -> set[SiteKey]:
    return {key for run in side for key in run.amounts["sites"]}


def _findings(side: Sequence[Figures]) -> list[Findings]:
    return [run.diagnosis.findings for run in side]


def _time_in_mpi(run: Figures) -> Ranges:
    return time_in_mpi_ranges(run.diagnosis.account, max(run.ranks_seen, 1))


def _factors(run: Figures) -> Ranges:
    return factor_ranges(run.diagnosis.account.efficiency)


def _where_now(row: Changed, now: Mapping[SiteKey, SiteKey]) -> Changed:
    """Return a row of a call site with the line after the change."""
    place = now.get((row.site, row.function, row.procedure))
    return replace(row, site=place[0], site_before=row.site) if place else row


def _same_names(before: Sequence[Figures], after: Sequence[Figures]) -> dict[str, str]:
    """Match families that are on one side only, if another name identifies them.

    A communicator that is created earlier in the program shifts the names of all later ones. Names given by
    the program do not shift.

    Returns:
        name after → name before.
    """
    families = [
        {family for run in side for (family,) in run.amounts["communicators"]} for side in (before, after)
    ]
    early, late = (
        _by_other_name(side, alone)
        for side, alone in ((before, families[0] - families[1]), (after, families[1] - families[0]))
    )
    return {late[name]: early[name] for name in late.keys() & early.keys()}


def _by_other_name(side: Sequence[Figures], families: set[str]) -> dict[str, str]:
    """Return the family of each name that the program gave, if the name belongs to one family only.

    Also return it for the names that families of libraries have in profiles that do not record libraries.
    """
    pairs = {
        (f'"{name}"', family) for run in side for family, name in run.user_names.items() if family in families
    }
    pairs |= {(without_library(family), family) for family in families}
    names = Counter(name for name, _ in pairs)
    return {name: family for name, family in pairs if names[name] == 1}


def _renamed(run: Figures, names: dict[str, str], moved: Mapping[SiteKey, SiteKey]) -> Figures:
    amounts = {
        kind: {
            (names.get(key[0], key[0]), *key[1:]) if KEYS[kind][0] == "communicator" else key: amount
            for key, amount in amounts.items()
        }
        for kind, amounts in run.amounts.items()
    }
    amounts["sites"] = {moved.get(key, key): amount for key, amount in run.amounts["sites"].items()}
    user_names = {names.get(family, family): name for family, name in run.user_names.items()}
    return replace(run, amounts=amounts, user_names=user_names)


def _whole(name: str, before: Sequence[Figures], after: Sequence[Figures]) -> Change:
    compared = timed if METRICS[name] in ("s", "%") else counted
    return compared([run.whole[name] for run in before], [run.whole[name] for run in after])


def _rows(kind: str, before: Sequence[Figures], after: Sequence[Figures], wall: float) -> list[Changed]:
    keys = dict.fromkeys(key for side in (before, after) for run in side for key in run.amounts[kind])
    rows = [_changed(kind, key, before, after, wall) for key in keys]
    return sorted(rows, key=lambda row: -abs(row.seconds.change))


def _changed(
    kind: str, key: Key, before: Sequence[Figures], after: Sequence[Figures], wall: float
) -> Changed:
    early, late = ([run.amounts[kind].get(key, Amount()) for run in side] for side in (before, after))
    names = dict(zip(KEYS[kind], key, strict=True))
    family = names.get("communicator", "")
    user_names = [run.user_names[family] for run in (*before, *after) if family in run.user_names]
    present = [any(key in run.amounts[kind] for run in side) for side in (before, after)]
    seconds = timed([amount.seconds for amount in early], [amount.seconds for amount in late])
    return Changed(
        communicator=family,
        user_name=user_names[0] if user_names else "",
        procedure=names.get("procedure", ""),
        region=names.get("region", ""),
        site=names.get("site", ""),
        site_before="",
        function=names.get("function", ""),
        only="" if all(present) else "before" if present[0] else "after",
        seconds=seconds,
        calls=counted([amount.calls for amount in early], [amount.calls for amount in late]),
        bytes_sent=counted([amount.bytes_sent for amount in early], [amount.bytes_sent for amount in late]),
        percent_of_wall_change=100 * seconds.change / wall if wall else None,
    )


def _side(runs: Sequence[Figures]) -> Side:
    run = runs[0].run
    paths = [str(run.path) for run in runs]
    limits = Counter(run.diagnosis.limit for run in runs)
    limit, number = limits.most_common(1)[0]
    verdict = next(run.diagnosis.verdict for run in runs if run.diagnosis.limit == limit)
    return Side(
        profiles=paths,
        program=runs[0].programs,
        ranks=run.ranks,
        nodes=run.nodes,
        mpi_library=runs[0].mpi_library,
        started=run.started,
        limit=limit,
        verdict=verdict,
        limited_runs=number,
    )


def _program_names(run: Figures) -> str:
    """Return the names of the programs, or of the scripts, without their arguments."""
    return " : ".join(without_interpreter(words)[0] for words in run.programs if words)


def _unlike(before: Sequence[Figures], after: Sequence[Figures]) -> list[str]:
    """Say what makes the sides hard to compare."""
    differences = []
    for what, early, late in (
        ("ranks", *({str(run.run.ranks) for run in side} for side in (before, after))),
        ("MPI library", *({run.mpi_library for run in side} for side in (before, after))),
        ("kernel", *({", ".join(run.run.kernels) for run in side} - {""} for side in (before, after))),
        ("program", *({_program_names(run) for run in side} for side in (before, after))),
    ):
        if early and late and (early != late or len(early) > 1):
            differences.append(
                f"other {what}: {', '.join(sorted(early))} before, {', '.join(sorted(late))} after"
            )
    for run in (*before, *after):
        if not run.trust.complete:
            differences.append(f"{run.path} is partial: {run.trust.partial_reason}")
        if run.trust.dropped_records:
            differences.append(f"{run.path} lacks {run.trust.dropped_records} records that were dropped")
    return [*differences, *_lacking(before, after)]


def _lacking(before: Sequence[Figures], after: Sequence[Figures]) -> list[str]:
    """Say on which sides ranks lacked processors, which distorts times."""
    sides = {
        name: [text for run in side if (text := lacking_text(run.diagnosis.account.shortages))]
        for name, side in (("before", before), ("after", after))
    }
    lacking = {name: texts for name, texts in sides.items() if texts}
    if not lacking:
        return []
    if len(lacking) == 2:
        return ["ranks lacked processors on both sides, which is part of each time"]
    [(name, texts)] = lacking.items()
    return [f"times can't be compared: ranks lacked processors {name} only: {texts[0]}"]
