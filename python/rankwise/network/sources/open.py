"""Opens a fabric from files, gzipped or not, directories of them, or a generator's words."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import GAP, MEASURED, NO_PORT, Fabric, Source, Subnet
from rankwise.network.fabric.same import difference, guids_of
from rankwise.network.fabric.slow_cables import slow_cables_text
from rankwise.network.routes.reach import Reach, reach_of
from rankwise.network.sources.found import FabricFiles
from rankwise.network.sources.groups import Group, grouped
from rankwise.network.sources.infiniband.join import NEED_CABLES, NEED_LINKS_AND_TABLES, joined
from rankwise.network.sources.on_cables import RULES
from rankwise.network.sources.parts import Cables, Lids, Tables, Whole
from rankwise.network.sources.together import done_together

_AGREE = "; in agreement with "


@dataclass(frozen=True)
class _Opened:
    """A subnet with where it is from; `rail` is the name of the directory of the first of its files."""

    order: int
    rail: str
    subnet: Subnet
    source: Source
    warnings: list[str]


def open_fabric(paths: Sequence[str], rule: str | None = None) -> Fabric:
    """Return the fabric that files describe.

    Files are recognised by their content. Files with common GUIDs of switches or ports describe one subnet,
    in any directories: they are read together, and must agree. Several subnets are rails of
    the fabric.

    Args:
        paths: files, directories, or words such as `fattree:...`; a file of such a name is `./fattree:...`.
        rule: one of RULES, for routes of cables without forwarding tables; None: the first.

    Raises:
        RankwiseError: a file can't be read or is malformed, files contradict each other, links are
            missing, or no cables need the rule. One line, with file and line number.
    """
    with _no_collection():
        return _fabric_in(paths, rule)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep Python from looking for cycles of objects.

    RATIONALE: the largest fabrics have half a million objects a subnet, in no cycles. The collector would
    visit all of them again and again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _fabric_in(paths: Sequence[str], rule: str | None) -> Fabric:
    sources = FabricFiles()
    for path in paths:
        sources.add(path)
    files = sources.files()
    if not files:
        raise RankwiseError(f"{', '.join(paths)}: no links and forwarding tables: add them, too")
    warnings = [*sources.warnings]
    for file in files:
        if isinstance(file.part, Whole):
            warnings += file.part.warnings
    groups = grouped(files)
    if rule is not None and all(_has_tables(group) for group in groups):
        raise RankwiseError(
            f"{rule} is a rule for links without forwarding tables, but {', '.join(paths)} has no such "
            "links: remove it"
        )
    opened = done_together(
        [partial(_subnets, group, rule or RULES[0]) for group in groups],
        [group.size for group in groups],
    )
    return _fabric(_once(sorted(chain(*opened), key=lambda source: source.order)), warnings)


def _has_tables(group: Group) -> bool:
    return any(isinstance(file.part, (Tables, Whole)) for file in group.files)


def _subnets(group: Group, rule: str) -> list[_Opened]:
    order, rail = group.first.order, Path(group.first.directory).name
    top = group.files[0].part
    if isinstance(top, Whole):
        return [
            _Opened(order, subnet.name or rail, subnet, source, [])
            for subnet, source in zip(top.subnets, top.sources, strict=True)
        ]
    pieces = [file.part for file in group.files if isinstance(file.part, (Cables, Tables, Lids))]
    cables = [piece.file.path for piece in pieces if isinstance(piece, Cables)]
    tables = [piece.file.path for piece in pieces if isinstance(piece, Tables)]
    if not cables:
        raise RankwiseError(f"{pieces[0].file.path}: {NEED_CABLES if tables else NEED_LINKS_AND_TABLES}")
    subnet, warnings = joined(pieces, rule)
    kind = next(file.kind for file in group.files if isinstance(file.part, Cables))
    taken = [cables[0], *tables[:1]]
    source = Source(kind, " and ".join(taken))
    others = [piece.file.path for piece in pieces if piece.file.path not in taken]
    return [_Opened(order, rail, subnet, _agreed(source, others), warnings)]


def _agreed(source: Source, others: Sequence[str]) -> Source:
    """Return the source, extended by files with the same content."""
    if not others:
        return source
    joint = ", " if _AGREE in source.what else _AGREE
    return replace(source, what=f"{source.what}{joint}{', '.join(others)}")


def _once(opened: Sequence[_Opened]) -> list[_Opened]:
    """Return each subnet once; RankwiseError if two that have a GUID in common are not the same."""
    kept: list[tuple[set[int], _Opened]] = []
    for candidate in opened:
        guids = guids_of(candidate.subnet)
        place = next((at for at, (others, _) in enumerate(kept) if guids & others), None)
        if place is None:
            kept.append((guids, candidate))
            continue
        others, other = kept[place]
        what = difference(other.subnet, candidate.subnet)
        if what:
            raise RankwiseError(
                f"{candidate.source.what}: GUID 0x{min(guids & others):016x} is in {other.source.what}, "
                f"too, but with different {what}; a GUID belongs to one subnet, so the files were not taken "
                "at the same time"
            )
        kept[place] = others, replace(other, source=_agreed(other.source, [candidate.source.what]))
    return [kept_subnet for _, kept_subnet in kept]


def _fabric(opened: Sequence[_Opened], general: Sequence[str]) -> Fabric:
    """Name the rails, and look whether all hosts reach each other."""
    times = Counter(source.rail for source in opened)
    subnets, warnings = [], [*general]
    unreached = done_together(
        [partial(_unreached, source) for source in opened],
        [source.subnet.forward.nbytes for source in opened],
    )
    for number, (subnet_source, unreached_warnings) in enumerate(zip(opened, unreached, strict=True), 1):
        rail = (
            subnet_source.rail if times[subnet_source.rail] == 1 and subnet_source.rail else f"rail {number}"
        )
        subnet = replace(subnet_source.subnet, name=rail if len(opened) > 1 else "")
        subnets.append(subnet)
        of_rail = f"{rail}: " if len(opened) > 1 else ""
        subnet_warnings = [*subnet_source.warnings, *unreached_warnings]
        subnet_warnings += filter(None, [slow_cables_text(subnet)])
        warnings += [f"{of_rail}{warning}" for warning in subnet_warnings]
    return Fabric(tuple(subnets), tuple(source.source for source in opened), tuple(dict.fromkeys(warnings)))


def _refuse_lost(subnet: Subnet, reach: Reach, opened: _Opened, example: str) -> None:
    """Raise RankwiseError if no host reaches any other, or most do not and files are incomplete."""
    astray = reach.lost + reach.looping
    gaps = [warning.removeprefix(GAP) for warning in opened.warnings if GAP in warning]
    if astray < reach.pairs and (not gaps or 2 * astray <= reach.pairs):
        return
    few = "no host reaches any other" if astray == reach.pairs else "most hosts do not reach each other"
    has_all = bool((subnet.forward != NO_PORT).any(axis=(1, 2)).all())
    why = "they do not match these LIDs and links, so the files were not taken at the same time"
    if gaps and not has_all:
        why = f"{'; '.join(gaps)}; give complete files"
    raise RankwiseError(f"{opened.source.what}: by these forwarding tables {few}, {example}: {why}")


def _unreached(opened: _Opened) -> list[str]:
    """Return warnings about hosts that can't reach others; RankwiseError if files seem to be missing."""
    subnet = opened.subnet
    reach = reach_of(subnet)
    hosts = subnet.ports.hosts
    found = (
        (reach.lost, "lead nowhere", reach.lost_example),
        (reach.looping, "run in loops", reach.looping_example),
    )
    wrong = [
        (count, what, f"such as {hosts[pair[0]]} to {hosts[pair[1]]}") for count, what, pair in found if pair
    ]
    if wrong and subnet.routing.kind == MEASURED:
        _refuse_lost(subnet, reach, opened, wrong[0][2])
    return [
        f"routes between hosts that {what}: {count} of {reach.pairs}, {example}"
        for count, what, example in wrong
    ]
