"""Findings as JSON: arrays as lists, unknown numbers as null."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from rankwise.analysis.to_json import to_json


def json_text(content: object) -> str:
    """Return a JSON document of dataclasses, dictionaries, sequences, arrays and numbers."""
    return json.dumps(_cleaned(to_json(content)), indent=2, allow_nan=False)


def _cleaned(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return _cleaned(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _cleaned(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(member) for member in value]
    return value
