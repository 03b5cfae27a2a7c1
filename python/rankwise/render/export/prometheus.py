"""Figures in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterable

from rankwise.centre.metrics import Metric
from rankwise.text.safe import safe

_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def prometheus_text(metrics: Iterable[Metric]) -> str:
    """Return the figures that have values."""
    lines = []
    for metric in metrics:
        if metric.values:
            lines.append(f"# HELP {metric.name} {metric.meaning}")
            lines.append(f"# TYPE {metric.name} gauge")
            lines += [f"{metric.name}{_label(metric, of)} {value!r}" for of, value in metric.values.items()]
    return "".join(f"{line}\n" for line in lines)


def _label(metric: Metric, value: str) -> str:
    if not metric.label:
        return ""
    # (Safe first: a line must stay a line, and its backslashes are characters of the value.)
    return f'{{{metric.label}="{safe(value, "utf-8").translate(_ESCAPED)}"}}'
