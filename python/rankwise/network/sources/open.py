"""Opens a fabric: files, gzipped or not, directories of them, or words that tell what to make."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric, Source, Subnet
from rankwise.network.fabric.reach import reach_of
from rankwise.network.sources.generators.generate import generated, is_rule
from rankwise.network.sources.groups import Group, Pool, Read
from rankwise.network.sources.infiniband.join import NEED_CABLES, NEED_LINKS_AND_TABLES, NEED_TABLES, joined
from rankwise.network.sources.parts import Cables, Lids, Masks, Tables, Whole
from rankwise.network.sources.readers import KNOWN, READERS
from rankwise.network.sources.slurm.read import is_slurm, slurm_fabric
from rankwise.network.sources.text import HEAD, head_of, read_text

_DEEPEST = 4
_MOST_FILES = 10_000


@dataclass(frozen=True)
class _Opened:
    """A subnet with where it is from; `rail` is the name of its directory, if it is alone there."""

    order: int
    rail: str
    subnet: Subnet
    source: Source
    warnings: list[str]


def open_fabric(paths: Sequence[str]) -> Fabric:
    """Return the fabric that files tell of.

    Files are recognised by their content. Those in one directory are read together, and so are those given
    one by one: what has GUIDs of switches in common is one subnet. A directory inside of another is on its
    own. Several subnets are rails of the fabric.

    Args:
        paths: files, directories, or words such as `fattree:...`; a file of such a name is `./fattree:...`.

    Raises:
        RankwiseError: a file can't be read or is malformed, files contradict each other, or links or tables
            are missing. One line, with file and line number.
    """
    given = Pool("")
    pools = [given]
    orders = itertools.count()
    for path in paths:
        if is_rule(path):
            made = Whole((generated(path),), (Source("generator", path),))
            given.add(Read(next(orders), 0, "generator", made))
        elif is_slurm(path):
            given.add(Read(next(orders), 0, "slurm", slurm_fabric(path)))
        elif not _is_directory(Path(path)):
            file = read_text(Path(path))
            rank = _rank_of(file.data[:HEAD])
            if rank is None:
                raise RankwiseError(f"{path} is no file of a fabric that is known here: {KNOWN}")
            given.add(Read(next(orders), rank, READERS[rank].kind, READERS[rank].read(file)))
        else:
            found = [_pool_of(*directory, orders) for directory in _directories(Path(path))]
            if not any(pool.files for pool in found):
                unread = [warning for pool in found for warning in pool.warnings]
                nothing = f"{path} has no file of a fabric in it that is known here: {KNOWN}"
                raise RankwiseError(unread[0] if unread else nothing)
            pools += found
    warnings = [warning for pool in pools for warning in pool.warnings]
    warnings += [
        warning
        for pool in pools
        for file in pool.files
        if isinstance(file.part, Whole)
        for warning in file.part.warnings
    ]
    return _fabric(sorted(_opened(pools), key=lambda one: one.order), warnings)


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # such as a name that is too long: reading it tells
        return False


def _pool_of(directory: Path, files: Sequence[Path], orders: Iterator[int]) -> Pool:
    """Return what the files of a directory tell; those that are of no fabric are passed over."""
    pool = Pool(directory.resolve().name)
    for path in files:
        try:
            rank = _rank_of(head_of(path))
        except RankwiseError as error:
            pool.warnings.append(f"{error}; it is passed over")
            continue
        if rank is not None:
            pool.add(Read(next(orders), rank, READERS[rank].kind, READERS[rank].read(read_text(path))))
    return pool


def _rank_of(head: bytes) -> int | None:
    """Return which of READERS reads a file; None: none does."""
    return next((rank for rank, reader in enumerate(READERS) if reader.fits(head)), None)


def _directories(top: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Return a directory and those in it, each with its files, by name; hidden ones are left out."""
    count = 0
    waiting = [(top, 0)]
    while waiting:
        directory, depth = waiting.pop()
        try:
            inside = sorted(entry for entry in directory.iterdir() if not entry.name.startswith("."))
            files = [entry for entry in inside if entry.is_file()]
            deeper = [entry for entry in inside if entry.is_dir() and not entry.is_symlink()]
        except OSError as error:
            raise RankwiseError(f"cannot read {directory}: {error.strerror or error}") from error
        count += len(inside)
        if count > _MOST_FILES:
            raise RankwiseError(f"{top} has more than {_MOST_FILES} files: give those of the fabric by name")
        if depth < _DEEPEST:
            waiting += [(entry, depth + 1) for entry in reversed(deeper)]
        yield directory, files


def _opened(pools: Sequence[Pool]) -> Iterator[_Opened]:
    """Return the subnets. What a directory lacks, the files given one by one, the first pool, may have."""
    given, *directories = pools
    for pool in directories:
        groups = pool.groups()
        complete = [group for group in groups if group.is_complete()]
        for group in complete:
            yield from _subnets(group, pool.masks, pool.name if len(complete) == 1 else "")
        given.files += [file for group in groups if not group.is_complete() for file in group.files]
        given.masks += pool.masks
    for group in given.groups():
        yield from _subnets(group, given.masks, "")


def _subnets(group: Group, masks: Sequence[Masks], rail: str) -> Iterator[_Opened]:
    first = group.files[0]
    if isinstance(first.part, Whole):
        whole = first.part
        for subnet, source in zip(whole.subnets, whole.sources, strict=True):
            yield _Opened(first.order, subnet.name or rail, subnet, source, [])
        return
    pieces = [file.part for file in group.files if isinstance(file.part, (Cables, Tables, Lids))]
    cables = [piece.file.path for piece in pieces if isinstance(piece, Cables)]
    tables = [piece.file.path for piece in pieces if isinstance(piece, Tables)]
    if not cables or not tables:
        need = NEED_TABLES if cables else NEED_CABLES if tables else NEED_LINKS_AND_TABLES
        raise RankwiseError(f"{pieces[0].file.path}: {need}")
    subnet, warnings = joined(pieces, masks)
    kind = next(file.kind for file in group.files if isinstance(file.part, Cables))
    others = [piece.file.path for piece in pieces if piece.file.path not in (cables[0], tables[0])]
    what = f"{cables[0]} and {tables[0]}" + (f"; in agreement with {', '.join(others)}" if others else "")
    yield _Opened(group.order, rail, subnet, Source(kind, what), warnings)


def _fabric(opened: Sequence[_Opened], general: Sequence[str]) -> Fabric:
    """Name the rails, and look whether all hosts reach each other."""
    times = Counter(one.rail for one in opened)
    subnets, warnings = [], [*general]
    for number, one in enumerate(opened, 1):
        rail = one.rail if times[one.rail] == 1 and one.rail else f"rail {number}"
        subnet = replace(one.subnet, name=rail if len(opened) > 1 else "")
        subnets.append(subnet)
        of_rail = f"{rail}: " if len(opened) > 1 else ""
        warnings += [f"{of_rail}{warning}" for warning in [*one.warnings, *_unreached(subnet)]]
    return Fabric(tuple(subnets), tuple(one.source for one in opened), tuple(dict.fromkeys(warnings)))


def _unreached(subnet: Subnet) -> Iterator[str]:
    reach = reach_of(subnet)
    if reach.example is None:
        return
    one, other = (subnet.ports.hosts[port] for port in reach.example)
    for count, what in ((reach.lost, "lead nowhere"), (reach.looping, "go round in circles")):
        if count:
            yield f"routes between hosts that {what}: {count} of {reach.pairs}, such as {one} to {other}"
