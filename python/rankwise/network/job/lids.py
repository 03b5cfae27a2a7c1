"""Which of a port's LIDs messages are sent to, where ports have several (LMC)."""

from __future__ import annotations

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric


def check_lids(fabric: Fabric, lid_offset: int | None) -> None:
    """Refuse a LID that no port has.

    Args:
        fabric: whose ports they are.
        lid_offset: which of the LIDs of a port, from 0; None = all.

    Raises:
        RankwiseError: no port has that many LIDs.
    """
    most = _most(fabric)
    if lid_offset is not None and lid_offset >= most:
        there = f"0 to {most - 1}, or split" if most > 1 else "0: there is one for each port"
        raise RankwiseError(f"no port of the fabric has a LID {lid_offset}, counted from 0: give {there}")


def lids_used(fabric: Fabric, lid_offset: int | None) -> str:
    """Return which LIDs are used, as the predicate of "messages"; '' if each port has one LID.

    Args:
        fabric: whose ports they are.
        lid_offset: as in `check_lids`.
    """
    most = _most(fabric)
    if most == 1:
        return ""
    if lid_offset is None:
        return "are split evenly over all LIDs of a port"
    text = f"are sent to LID {lid_offset} of a port, of 0 to {most - 1}"
    fewer = sum(int((subnet.ports.lid_counts <= lid_offset).sum()) for subnet in fabric.subnets)
    if fewer:
        several = "s" * (fewer > 1)
        text += f"; {fewer} port{several} with fewer: LID {lid_offset} modulo their number"
    return text


def _most(fabric: Fabric) -> int:
    return max((int(np.max(subnet.ports.lid_counts, initial=1)) for subnet in fabric.subnets), default=1)
