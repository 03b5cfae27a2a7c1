"""Fonts, colours and lines of the drawings, and texts that are safe in them."""

from __future__ import annotations

from typing import Any

from rankwise.text.safe import safe

INK = "#1f2933"
FAINT = "#66727f"
RULE = "#cbd2d9"
WARNING = "#b42318"
PAPER = "#ffffff"

SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8.5,
    "text.color": INK,
    "text.parse_math": False,  # a dollar in the name of a host is a dollar
    "axes.edgecolor": RULE,
    "axes.labelcolor": FAINT,
    "axes.titlecolor": INK,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#edf0f3",
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": FAINT,
    "ytick.labelcolor": FAINT,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "hatch.color": "#aab4be",
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",  # texts stay texts: they can be searched and copied
    "svg.hashsalt": "rankwise",  # the same picture, the same file
    "pdf.fonttype": 42,
}


def shown(text: str, longest: int = 24) -> str:
    """Return a text from a file as printable ASCII, cut in the middle if it is too long."""
    harmless = safe(text)
    if len(harmless) <= longest:
        return harmless
    tail = (longest - 3) * 2 // 3  # names of hosts differ at their ends
    return f"{harmless[: longest - 3 - tail]}...{harmless[-tail:]}"
