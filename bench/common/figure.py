"""Figures of the benchmark as SVG, the same for the same numbers."""

from __future__ import annotations

from typing import Any

from common.errors import BenchError


def pyplot(salt: str) -> Any:
    """Return matplotlib's pyplot, set up for an SVG with text.

    Args:
        salt: of the names in the file, so that they are always the same.

    Raises:
        BenchError: matplotlib is missing.
    """
    try:
        import matplotlib as mpl
    except ImportError:
        raise BenchError("--figure needs matplotlib: pip install matplotlib") from None
    mpl.use("svg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": salt, "font.size": 9})
    from matplotlib import pyplot as made

    return made
