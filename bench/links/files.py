"""Files of large subnets, as `ibnetdiscover` and `dump_lfts -n` print them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import Subnet

_RATE = "4xNDR"
_ADAPTERS = 0x0100_0000
_SWITCHES = 0x0900_0000
"""GUIDs of a subnet begin here."""


class FabricFiles(NamedTuple):
    """Links and tables of a subnet."""

    links: Path
    tables: Path


def written(subnet: Subnet, directory: Path, rail: int) -> FabricFiles:
    """Write the files of a generated subnet; hosts have an adapter of one port on each rail.

    Switches have higher LIDs than hosts.

    Args:
        subnet: with one LID for each host port, from 1 on, and one way for each.
        directory: the files are written there.
        rail: number of the subnet, from 0; it is in its GUIDs and in the names of adapters.
    """
    files = FabricFiles(directory / f"links-{rail}", directory / f"tables-{rail}")
    with files.links.open("w", encoding="ascii") as file:
        file.writelines(_links(subnet, rail))
    with files.tables.open("wb") as tables:
        tables.writelines(_tables(subnet, rail))
    return files


def _switch_guid(rail: int, switch: int) -> int:
    return (rail + 1 << 32) + _SWITCHES + switch


def _adapter_guid(rail: int, port: int) -> int:
    return (rail + 1 << 32) + _ADAPTERS + 2 * port


def _links(subnet: Subnet, rail: int) -> Iterator[str]:
    links, switches, ports = subnet.links, len(subnet.switches.names), len(subnet.ports.hosts)
    order = np.lexsort((links.source_port, links.source))
    cables: list[list[tuple[int, int, int]]] = [[] for _ in range(switches + ports)]
    ends = (links.source, links.source_port, links.destination, links.destination_port)
    for source, port, far, far_port in zip(*(end[order].tolist() for end in ends), strict=True):
        cables[source].append((port, far, far_port))
    lids = [*range(ports + 1, ports + switches + 1), *subnet.ports.lids.tolist()]
    names = [*subnet.switches.names, *(f"{host} mlx5_{rail}" for host in subnet.ports.hosts)]
    yield "#\n# Topology file: generated\n#\n"
    for switch in range(switches):
        guid, size = _switch_guid(rail, switch), len(cables[switch])
        yield (
            f"\nvendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{guid:x}\nswitchguid=0x{guid:x}({guid:x})\n"
            f'Switch\t{size} "S-{guid:016x}"\t\t# "{names[switch]}" '
            f"enhanced port 0 lid {lids[switch]} lmc 0\n"
        )
        for port, far, far_port in cables[switch]:
            if far < switches:
                away = f'"S-{_switch_guid(rail, far):016x}"[{far_port}]'
            else:
                node = _adapter_guid(rail, far - switches)
                away = f'"H-{node:016x}"[{far_port}]({node + 1:x}) '
            yield f'[{port}]\t{away}\t\t# "{names[far]}" lid {lids[far]} {_RATE}\n'
    for place in range(switches, switches + ports):
        guid = _adapter_guid(rail, place - switches)
        [(port, far, far_port)] = cables[place]
        yield (
            f"\nvendid=0x2c9\ndevid=0x1021\nsysimgguid=0x{guid:x}\ncaguid=0x{guid:x}\n"
            f'Ca\t1 "H-{guid:016x}"\t\t# "{names[place]}"\n'
            f'[{port}]({guid + 1:x}) \t"S-{_switch_guid(rail, far):016x}"[{far_port}]\t\t'
            f'# lid {lids[place]} lmc 0 "{names[far]}" lid {lids[far]} {_RATE}\n'
        )


def _tables(subnet: Subnet, rail: int) -> Iterator[bytes]:
    switches, ports = len(subnet.switches.names), len(subnet.ports.hosts)
    lids = np.concatenate([subnet.ports.lids, np.arange(ports + 1, ports + switches + 1)])
    rows = np.frombuffer(b"".join(b"0x%04x 000 \n" % lid for lid in lids.tolist()), np.uint8).copy()
    rows = rows.reshape(len(lids), -1)
    first_host = np.zeros(switches, np.int64)  # messages for a switch take the way to a host below it
    first_host[subnet.links.destination[subnet.up][::-1]] = subnet.ports.lids[::-1]
    for switch, name in enumerate(subnet.switches.names):
        ways = subnet.forward[switch, :, 0]
        to_switches = np.where(first_host, ways[first_host], 1)
        to_switches[switch] = 0
        _set_ports(rows, np.concatenate([ways[subnet.ports.lids], to_switches]))
        lid, guid = ports + 1 + switch, _switch_guid(rail, switch)
        yield (
            f"Unicast lids [0x0-0x{lids[-1]:x}] of switch Lid {lid} guid 0x{guid:016x} ({name}):\n"
            "  Lid  Out   Destination\n       Port     Info \n"
        ).encode()
        yield rows.tobytes()
        yield f"{len(lids)} valid lids dumped \n".encode()


def _set_ports(rows: NDArray[np.uint8], ports: NDArray[np.integer]) -> None:
    """Write the ports, shape (n,), into rows of 0xHHHH DDD, shape (n, 12)."""
    for place, unit in ((7, 100), (8, 10), (9, 1)):
        rows[:, place] = ord("0") + ports // unit % 10
