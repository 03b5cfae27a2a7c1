"""Sections of the appendix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankwise.text.safe import safe


def section(
    identity: str, group: str, title: str, text: Iterable[str], tables: Iterable[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return a section as web/src/appendix/contract.ts declares it, without empty sentences."""
    return {
        "id": identity,
        "group": group,
        "title": safe(title, "utf-8"),
        "text": [safe(sentence, "utf-8") for sentence in text if sentence],
        "tables": list(tables),
    }
