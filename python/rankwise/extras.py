"""Parts of Rankwise that need optional libraries: `pip install 'rankwise[NAME]'`."""

from __future__ import annotations

from importlib.util import find_spec

from rankwise.errors import RankwiseError

_EXTRA_OF = {
    "matplotlib": "plots",
    "pandas": "notebook",
    "plotly": "plots",
    "pyarrow": "parquet",
    "scipy": "latency",
}
"""Library -> the name of pyproject.toml that brings it."""


def check(library: str) -> None:
    """Refuse, before any work is done, what needs one of these libraries.

    Raises:
        RankwiseError: it is not installed.
    """
    if find_spec(library) is None:
        raise not_installed(library)


def not_installed(library: str | None) -> RankwiseError:
    """Return what to tell the user who needs a library that can't be imported.

    Raises:
        KeyError: it is none of these libraries.
    """
    name = (library or "").partition(".")[0]
    extra = _EXTRA_OF[name]
    return RankwiseError(f"this needs {name}, which is not installed: pip install 'rankwise[{extra}]'", 1)
