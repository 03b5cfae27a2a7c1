"""The diagnosis as `--json` prints it."""

from __future__ import annotations

from typing import Any

from rankwise.analysis.to_json import to_json
from rankwise.diagnosis.model import Diagnosis


def diagnosis_json(told: Diagnosis) -> dict[str, Any]:
    """Return what is concluded; findings and the account of the time stand beside it."""
    found: dict[str, Any] = to_json(told)
    return {name: value for name, value in found.items() if name not in ("findings", "account")}
