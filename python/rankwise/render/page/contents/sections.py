"""Sections of the appendix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankwise.text.safe import safe


def section(
    identity: str, group: str, title: str, text: Iterable[str], tables: Iterable[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return a section as web/src/appendix/contract.ts declares it; empty sentences are left out."""
    return {
        "id": identity,
        "group": group,
        "title": safe(title, "utf-8"),
        "text": [safe(one, "utf-8") for one in text if one],
        "tables": list(tables),
    }
