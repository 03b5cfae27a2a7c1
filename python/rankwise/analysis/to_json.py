"""Results as the lists and dictionaries that `--json` prints."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from rankwise.analysis.calls.totals import Totals

_PLAIN = (float, int, str, bool, type(None))
"""What most values are."""


def to_json(value: Any) -> Any:
    """Return `value` with every dataclass in it turned into a dictionary of its fields, in their order.

    The numbers of a `Totals` stand beside the row's other fields, so that a row is one flat object and
    the same number has the same key in every view.
    """
    if type(value) in _PLAIN:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        row: dict[str, Any] = {}
        for field in fields(value):
            member = getattr(value, field.name)
            if isinstance(member, Totals):
                row.update({name.name: getattr(member, name.name) for name in fields(member)})
            else:
                row[field.name] = to_json(member)
        return row
    if isinstance(value, dict):
        return {key: to_json(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(member) for member in value]
    return value
