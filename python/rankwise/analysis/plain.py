"""Results as plain lists and dictionaries: what `--json` prints."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from rankwise.analysis.counted import Counted


def plain(value: Any) -> Any:
    """Return `value` with every dataclass in it turned into a dictionary of its fields, in their order.

    The numbers of a `Counted` stand beside the row's other fields, so that a row is one flat object and
    the same number has the same key in every view.
    """
    if is_dataclass(value) and not isinstance(value, type):
        row: dict[str, Any] = {}
        for field in fields(value):
            member = getattr(value, field.name)
            if isinstance(member, Counted):
                row.update({name.name: getattr(member, name.name) for name in fields(member)})
            else:
                row[field.name] = plain(member)
        return row
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    return value
