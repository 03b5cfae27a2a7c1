"""Options that put a job on a fabric, for the verbs that look at the links of one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.network.fabric.model import Fabric


def add_fabric(parser: argparse.ArgumentParser) -> None:
    """Declare --fabric and --routing."""
    parser.add_argument(
        "--fabric",
        action="extend",  # the option may be there several times: once for each rail
        nargs="+",
        metavar="PATH",
        help="files with the cables and forwarding tables of the network, directories of them, or the "
        "description of a synthetic network (default: RANKWISE_FABRIC, or the fabric of the centre)",
    )
    add_routing(parser)


def add_routing(parser: argparse.ArgumentParser) -> None:
    """Declare --routing."""
    parser.add_argument(
        "--routing",
        choices=("even", "minhop", "dmodk"),
        help="routing if forwarding tables are unknown: even (equally over all shortest paths), minhop, "
        "dmodk (default: even)",
    )


def add_places(group: Any) -> None:
    """Declare the options that say where the ranks are, in a parser or a group of its arguments."""
    group.add_argument(
        "--place",
        metavar="FILE|LIST",
        help="put the ranks on these hosts: placement.csv of `rankwise map`, a host file, a rankfile,"
        " or a list such as node[001-064]*2 (default: the hosts of the run)",
    )
    group.add_argument(
        "--rail",
        default="split",
        metavar="POLICY",
        help="host ports that a rank uses: split (evenly over all), first, by-local-rank, env (chosen by "
        "its environment), or the name of a rail or an adapter (default: %(default)s)",
    )
    add_lid(group)


def add_rail(parser: argparse.ArgumentParser) -> None:
    """Declare --rail where all ranks of a host use the same ports."""
    parser.add_argument(
        "--rail",
        default="split",
        metavar="POLICY",
        help="host ports that messages use, as in `rankwise links`: split (evenly over all), first, or the "
        "name of a rail or an adapter (default: %(default)s)",
    )


def add_lid(group: Any) -> None:
    """Declare --lid, in a parser or a group of its arguments."""
    group.add_argument(
        "--lid",
        default="0",
        metavar="N|split",
        help="LID of the destination port, from 0, if a port has several (LMC); split: all equally "
        "(default: %(default)s)",
    )


def lid_offset_of(text: str, fabric: Fabric) -> int | None:
    """Return what --lid says; RankwiseError if that is nothing, or no port of the fabric has such a LID."""
    from rankwise.network.job.lids import check_lids

    if text == "split":
        return None
    if not text.isdecimal() or len(text) > 3:
        raise RankwiseError(f"--lid {text}: give split, or the number of a LID from 0 to 127")
    try:
        check_lids(fabric, int(text))
    except RankwiseError as error:
        raise RankwiseError(f"--lid {text}: {error}") from None
    return int(text)
