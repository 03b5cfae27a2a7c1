"""Parts of Rankwise that need optional libraries: `pip install 'rankwise[NAME]'`."""

from __future__ import annotations

from importlib.util import find_spec

from rankwise.errors import RankwiseError

NOTEBOOK = "notebook"
"""Brings all that answers in notebooks need."""
CENTRE = "centre"
"""Brings all that `rankwise centre` needs."""

_EXTRA_OF = {
    "duckdb": CENTRE,
    "matplotlib": "plots",
    "otf2": "otf2",
    "pandas": NOTEBOOK,
    "pyarrow": "parquet",
    "pyspark": "spark",
    "scipy": "latency",
}
"""Library -> the name of pyproject.toml that brings it."""


def check(library: str, extra: str = "") -> None:
    """Refuse, before any work is done, what needs one of these libraries.

    Args:
        library: that is needed.
        extra: that brings it with the others that go with it here, '' = the library's own.

    Raises:
        RankwiseError: it is not installed.
    """
    if find_spec(library) is None:
        raise not_installed(library, extra)


def not_installed(library: str | None, extra: str = "") -> RankwiseError:
    """Return what to tell the user who needs a library that can't be imported.

    Args:
        library: that is needed.
        extra: as for `check`.

    Raises:
        KeyError: it is none of these libraries.
    """
    name = (library or "").partition(".")[0]
    extra = extra or _EXTRA_OF[name]
    return RankwiseError(f"this needs {name}, which is not installed: pip install 'rankwise[{extra}]'", 1)
