"""The diagnosis as `--json` prints it."""

from __future__ import annotations

from typing import Any

from rankwise.analysis.to_json import to_json
from rankwise.diagnosis.model import Diagnosis


def diagnosis_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the conclusions; `--json` prints findings and the account of the time separately."""
    fields: dict[str, Any] = to_json(diagnosis)
    return {name: value for name, value in fields.items() if name not in ("findings", "account")}
