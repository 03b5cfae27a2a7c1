"""Hosts of ranks as the user gives them: a list, or a file in a format of the launchers."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.analysis.messages.traffic import MOST_RANKS
from rankwise.errors import RankwiseError
from rankwise.topology.machine.hosts import hosts_of

_MOST_BYTES = 256 << 20
_LONGEST_SHOWN = 60
_TABLE = "placement.csv"
# Of a host file: host:4, host:ppn=4, slots=4, slots = 4, cpu=4, count=4; max-slots=8 is no number of ranks.
_COUNT = re.compile(r"(?:^|\s)(?:slots?|cpus?|count|np|ppn)\s*=\s*(\S+)", re.IGNORECASE)
# Of Grid Engine, in PE_HOSTFILE: the ranks, the queue, and which processors.
_OF_GRID_ENGINE = re.compile(r"(\d+)\s+\S+\s+\S+")
_SETTING = re.compile(r"[\w-]+\s*=\s*\S+")
_RANK = re.compile(r"rank\s+(\S+?)\s*=\s*(\S+)(?:\s+slots?\s*=\s*\S+)?\s*", re.IGNORECASE)
_COUNTED_HOST = re.compile(r"\+n([0-9]{1,7})", re.IGNORECASE)
_FILE = re.compile(r"[^,*\[\]]+\.[A-Za-z]\w*")
_OUTSIDE_BRACKETS = re.compile(r",(?![^\[]*\])")
_CURE = (
    "give a list such as node[01-64]*2, a host file, a rankfile, or placement.csv that `rankwise map` wrote"
)


@dataclass(frozen=True)
class GivenHost:
    """The host given for a rank.

    Attributes:
        host: name.
        where: it was read: the file and the line; '' = it was given as a list.
    """

    host: str
    where: str = ""


def given_hosts(
    given: str, ranks: int | None, hosts: Container[str] = (), own: Sequence[str] = ()
) -> list[GivenHost]:
    """Return the host of each rank.

    Args:
        given: a file, a directory that `rankwise map` wrote, or a list of hosts such as `node[01-64]*2`,
            with the number of ranks on each.
        ranks: their number; surplus hosts are ignored. None: as many as there is room for.
        hosts: names that are never taken for files.
        own: the hosts of the run, which rankfiles may refer to by number: `+n0` is the first host.

    Raises:
        RankwiseError: the argument is none of these, can't be read, has room for fewer ranks, or places
            ranks that do not exist.
    """
    if not given.strip():
        raise RankwiseError(f"no placement is given: {_CURE}")
    path = Path(given)
    try:
        path = path / _TABLE if path.is_dir() else path
        is_there = path.exists()
    except (OSError, ValueError):  # too long, or not a path
        is_there = False
    if is_there:
        host_list, name = _of_file(path, ranks, own), str(path)
    elif "/" in given or (_FILE.fullmatch(given) and given not in hosts):
        raise RankwiseError(f"{path} is not found: {_CURE}")
    else:
        host_list, name = _of_list(given, MOST_RANKS if ranks is None else ranks), _shown(given)
    if ranks is None and not host_list:
        raise RankwiseError(f"{name} names no host: {_CURE}")
    if ranks is not None and len(host_list) < ranks:
        room = f"{len(host_list)} rank{'s' * (len(host_list) != 1)}"
        raise RankwiseError(f"{name} has room for {room}, but the job has {ranks}: {_CURE}")
    return host_list


def _of_list(given: str, most: int) -> list[GivenHost]:
    listed: list[GivenHost] = []
    for word in _OUTSIDE_BRACKETS.split(given):
        hosts, star, count = word.rpartition("*") if "*" in word else (word, "", "1")
        if star and not _is_count(count):
            raise RankwiseError(f"{_shown(word)}: after * is the number of ranks on each host")
        try:
            names = hosts_of(hosts.strip())
        except RankwiseError as error:
            raise RankwiseError(f"{_shown(given)} is neither a file nor a list of hosts: {error}") from error
        for host in names:
            listed += [GivenHost(host)] * min(int(count), most - len(listed))
    return listed


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "...")


def _is_count(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}", text) is not None and int(text) > 0


def _of_file(path: Path, ranks: int | None, own: Sequence[str]) -> list[GivenHost]:
    try:
        if not path.is_file():
            raise RankwiseError(f"{path} is not a regular file: {_CURE}")
        if path.stat().st_size > _MOST_BYTES:
            raise RankwiseError(f"{path} is too large for a list of hosts: {_CURE}")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RankwiseError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RankwiseError(f"{path} is not text: {_CURE}") from error
    if text.lstrip().startswith(("[", "{")):
        return _by_ranks(path, _objects(path, text), ranks)
    lines = [
        (number, bare)
        for number, line in enumerate(text.splitlines(), 1)
        if (bare := line.partition("#")[0].strip())
    ]
    if lines and "," in lines[0][1] and {"rank", "host"} <= set(lines[0][1].lower().split(",")):
        return _by_ranks(path, _rows(path, lines), ranks)
    if lines and _RANK.fullmatch(lines[0][1]):
        return _by_ranks(path, _rankfile(path, lines, own), ranks)
    return _host_file(path, lines, MOST_RANKS if ranks is None else ranks)


def _host_file(path: Path, lines: list[tuple[int, str]], most: int) -> list[GivenHost]:
    """Read one host per line, for one rank or as many as the line says."""
    hosts: list[GivenHost] = []
    for number, line in lines:
        where = f"{path}: line {number}"
        host, _, rest = line.partition(" ") if " " in line else line.partition("\t")
        host, colon, count = (host, "", "") if host.count(":") > 1 else host.partition(":")
        count = count.lower().removeprefix("ppn=")
        slots = _COUNT.search(rest)
        rest = _SETTING.sub("", rest).strip()
        if slots and not colon:
            count = slots[1]
        elif not colon and (of_queue := _OF_GRID_ENGINE.fullmatch(rest)):
            count, rest = of_queue[1], ""
        elif rest and not colon:  # LSF's: HOST RANKS
            count, rest = rest, ""
        elif not colon:
            count = "1"
        if rest or not _is_count(count):
            raise RankwiseError(f"{where}: {_shown(line)} is not a host with a number of ranks; {_CURE}")
        try:
            names = hosts_of(host)
        except RankwiseError as error:
            raise RankwiseError(f"{where}: {error}") from error
        if any(name.isdigit() or name.startswith("+") for name in names):
            raise RankwiseError(f"{where}: {_shown(host)} is not a name of a host; {_CURE}")
        for name in names:
            hosts += [GivenHost(name, where)] * min(int(count), most - len(hosts))
        if len(hosts) == most:
            break
    return hosts


def _rankfile(
    path: Path, lines: list[tuple[int, str]], own: Sequence[str]
) -> Iterator[tuple[str, object, object]]:
    for number, line in lines:
        where = f"{path}: line {number}"
        match = _RANK.fullmatch(line)
        if not match:
            raise RankwiseError(f"{where}: {_shown(line)} is not like `rank 0=node01 slot=0:1`")
        host = match[2]
        if (counted := _COUNTED_HOST.fullmatch(host)) and own:
            if int(counted[1]) >= len(own):
                raise RankwiseError(f"{where}: {host} exceeds the number of hosts of the run: {len(own)}")
            host = own[int(counted[1])]
        yield where, match[1], host


def _rows(path: Path, lines: list[tuple[int, str]]) -> Iterator[tuple[str, object, object]]:
    names = lines[0][1].lower().split(",")
    rank, host = names.index("rank"), names.index("host")
    for number, line in lines[1:]:
        where = f"{path}: line {number}"
        try:
            [values] = csv.reader([line])
        except csv.Error as error:
            raise RankwiseError(f"{where}: {error}") from error
        if len(values) <= max(rank, host):
            raise RankwiseError(f"{where}: {_shown(line)} lacks a rank or a host")
        yield where, values[rank], values[host]


def _objects(path: Path, text: str) -> Iterator[tuple[str, object, object]]:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        raise RankwiseError(f"{path}: line {error.lineno}: is not JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise RankwiseError(f"{path} is not JSON: {_CURE}") from error
    if not isinstance(rows, list):
        raise RankwiseError(f"{path} is not a list of ranks and hosts: {_CURE}")
    for number, row in enumerate(rows):
        where = f"{path}: entry {number}"
        if not isinstance(row, dict):
            raise RankwiseError(f"{where}: is not an object with a rank and a host")
        yield where, row.get("rank"), row.get("host")


def _by_ranks(path: Path, rows: Iterator[tuple[str, object, object]], ranks: int | None) -> list[GivenHost]:
    """Put hosts in the order of their ranks; each rank must have exactly one."""
    host_of_rank: dict[int, GivenHost] = {}
    for where, rank, host in rows:
        if isinstance(rank, bool) or not re.fullmatch(r"[0-9]{1,9}", str(rank)):
            raise RankwiseError(f"{where}: {_shown(str(rank))} is not a rank")
        if not isinstance(host, str) or not host or not host.isprintable() or host.startswith("+"):
            raise RankwiseError(f"{where}: {_shown(str(host))} is not a name of a host")
        number = int(str(rank))
        if number in host_of_rank:
            raise RankwiseError(f"{where}: rank {number} is given twice")
        host_of_rank[number] = GivenHost(host, where)
    many = max(host_of_rank, default=-1) + 1 if ranks is None else ranks
    if ranks is not None and max(host_of_rank, default=-1) >= ranks:
        raise RankwiseError(
            f"{path} places rank {max(host_of_rank)}, and the job has {ranks}: it is for another job; {_CURE}"
            " of this one"
        )
    missing = next((rank for rank in range(many) if rank not in host_of_rank), None)
    if missing is not None:
        raise RankwiseError(f"{path} has no host for rank {missing} of the job's {many}: {_CURE}")
    return [host_of_rank[rank] for rank in range(many)]
