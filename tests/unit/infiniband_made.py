"""Files of ibnetdiscover and dump_lfts, written for subnets that are made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Port = tuple[str, int]
"""Name of a device of `Made`, number of its port."""


class Made:
    """A subnet: switches and adapters, their cables, and shortest ways by the first cable that leads on."""

    def __init__(
        self, switches: Sequence[str], adapters: Mapping[str, str], cables: Sequence[tuple[Port, Port]]
    ):
        """Make it.

        Args:
            switches: their descriptions.
            adapters: of each, by a name for `cables`, the description.
            cables: all of them.
        """
        self.switches = {name: 0xA0 + place for place, name in enumerate(switches)}
        self.adapters = {name: 0x1000 + 0x10 * place for place, name in enumerate(adapters)}
        self._descriptions = {**{name: name for name in switches}, **adapters}
        self.lids = {name: place for place, name in enumerate([*switches, *adapters], 1)}
        both = [*cables, *((other, port) for port, other in cables)]
        self._far = dict(both)

    def links(self, *, rate: str = "4xHDR") -> str:
        """What `ibnetdiscover` prints."""
        return "\n".join(self._paragraph(name, rate) for name in [*self.switches, *self.adapters])

    def tables(self, *switches: str) -> str:
        """What `dump_lfts` prints of these switches, or of all."""
        return "".join(map(self._table, switches or self.switches))

    def _paragraph(self, name: str, rate: str) -> str:
        is_switch = name in self.switches
        guid, lid = self._guid(name), self.lids[name]
        kind, letter, fact = ("Switch", "S", "switchguid") if is_switch else ("Ca", "H", "caguid")
        own = f" enhanced port 0 lid {lid} lmc 0" if is_switch else ""
        lines = [
            f"vendid=0x2c9\ndevid=0x1\nsysimgguid=0x{guid:016x}\n{fact}=0x{guid:016x}",
            f'{kind}\t41 "{letter}-{guid:016x}"\t\t# "{self._descriptions[name]}"{own}',
        ]
        for (here, port), (far, far_port) in sorted(self._far.items()):
            if here == name:
                away = self._guid(far)
                there = f'"{"S" if far in self.switches else "H"}-{away:016x}"[{far_port}]'
                there += "" if far in self.switches else f"({away + far_port:x})"
                facts = "" if is_switch else f"lid {lid} lmc 0 "
                mine = "" if is_switch else f"({guid + port:x})"
                description = self._descriptions[far]
                lines.append(f'[{port}]{mine}\t{there}\t# {facts}"{description}" lid {self.lids[far]} {rate}')
        return "\n".join(lines) + "\n"

    def _table(self, switch: str) -> str:
        head = (
            f"Unicast lids [0x0-0x40] of switch Lid {self.lids[switch]} guid 0x{self._guid(switch):016x} (x):"
        )
        rows = [f"0x{lid:04x} {self._port(switch, name):03d} : (x)" for name, lid in self.lids.items()]
        return "\n".join([head, "  Lid  Out   Destination", *rows, f"{len(rows)} valid lids dumped", ""])

    def _port(self, switch: str, name: str) -> int:
        """The port that leads from a switch to a device; 0: it is the switch."""
        waiting, seen = [(switch, 0)], {switch}
        while waiting:
            here, first = waiting.pop(0)
            if here == name:
                return first
            for (near, port), (far, _) in sorted(self._far.items()):
                if near == here and far not in seen and (here in self.switches):
                    seen.add(far)
                    waiting.append((far, first or port))
        raise AssertionError(f"no way from {switch} to {name}")

    def _guid(self, name: str) -> int:
        return (self.switches | self.adapters)[name]


def two_leaves(*descriptions: str) -> Made:
    """Two leaves below a spine; the first three adapters are at one leaf, the others at the other one."""
    adapters = {f"adapter{place}": text for place, text in enumerate(descriptions)}
    cables: list[tuple[Port, Port]] = [(("leaf1", 10), ("spine", 1)), (("leaf2", 10), ("spine", 2))]
    for place, name in enumerate(adapters):
        cables.append(((name, 1), ("leaf1", place + 1) if place < 3 else ("leaf2", place - 2)))
    return Made(["leaf1", "leaf2", "spine"], adapters, cables)
