"""The readers of files: for InfiniBand's tools, and the modules in formats/."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from rankwise.network.sources import formats
from rankwise.network.sources.fabric_json import read as fabric_json
from rankwise.network.sources.infiniband import (
    db_csv,
    fdbs,
    iblinkinfo,
    ibnetdiscover,
    ibsim,
    lfts,
    lids,
    lst,
    net_dump,
    ports,
)
from rankwise.network.sources.parts import Reader


def _modules() -> list[ModuleType]:
    """Return the modules of formats/ by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(formats.__path__))
    return [importlib.import_module(f"{formats.__name__}.{name}") for name in names]


_FURTHER = _modules()
READERS: tuple[Reader, ...] = (
    Reader("fabric.json", fabric_json.is_fabric_json, fabric_json.read_fabric_json),
    Reader("ibdiagnet", lst.is_ibdiagnet_lst, lst.read_lst),
    Reader("ibdiagnet", fdbs.is_ibdiagnet_fdbs, fdbs.read_fdbs),
    Reader("ibdiagnet", db_csv.is_db_csv, db_csv.read_db_csv),
    Reader("ibdiagnet", net_dump.is_net_dump, net_dump.read_net_dump),
    Reader("opensm", lst.is_opensm_lst, lst.read_lst),
    Reader("opensm", fdbs.is_opensm_fdbs, fdbs.read_fdbs),
    Reader("ibnetdiscover", ibnetdiscover.is_ibnetdiscover, ibnetdiscover.read_ibnetdiscover),
    Reader("ibnetdiscover", ports.is_ports, ports.read_ports),
    Reader("iblinkinfo", iblinkinfo.is_iblinkinfo, iblinkinfo.read_iblinkinfo),
    Reader("ibnetdiscover", lfts.is_dump_lfts, lfts.read_lfts),
    Reader("opensm", lfts.is_opensm_lfts, lfts.read_lfts),
    Reader("opensm", lids.is_guid2lid, lids.read_guid2lid),
    Reader("ibsim", ibsim.is_ibsim, ibsim.read_ibsim),
    Reader("ibdiagnet", lids.is_masks, lids.read_masks),
    *(reader for module in _FURTHER for reader in module.READERS),
)
"""Of several files of a subnet, the first in this order are used; the others complete them and must agree."""

KNOWN = ", ".join(
    (
        "fabric.json",
        "ibdiagnet.lst and .fdbs",
        "ibdiagnet2.net_dump",
        "opensm-subnet.lst and opensm.fdbs",
        "the output of ibnetdiscover, iblinkinfo and dump_lfts",
        "ibsim's networks",
        *(module.WORDS for module in _FURTHER),
        "or a description such as fattree:leaf=18x18,spine=9",
    )
)
