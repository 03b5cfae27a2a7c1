"""Columns of the profile that hold JSON text."""

from __future__ import annotations

import json
from typing import Any


def decoded_list(text: str) -> list[Any]:
    """Return the list in a JSON column; an empty text is an empty list.

    Raises:
        ValueError: the text is no JSON list, so something other than Rankwise wrote the profile.
    """
    try:
        value = json.loads(text) if text else []
    except ValueError as error:
        raise ValueError(f"{text[:40]!r} is not JSON") from error
    if not isinstance(value, list):
        raise ValueError(f"{text[:40]!r} is not a JSON list")
    return value


def decoded_if_known(text: str) -> list[Any] | None:
    """Return the list in a JSON column; None if the column holds null, which means unknown.

    Raises:
        ValueError: as in `decoded_list`.
    """
    return None if text == "null" else decoded_list(text)
