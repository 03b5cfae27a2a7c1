"""The version of Rankwise, for the package as for the libraries that are built with it."""

from __future__ import annotations

__version__ = "0.1.0"


def version_and_commit() -> str:
    """Return the version, and the commit that the package was built from if that is known."""
    from pathlib import Path

    try:
        commit = (Path(__file__).parent / "share" / "commit").read_text().strip()
    except OSError:  # the sources themselves, or built from neither a clone nor an archive of git
        return __version__
    return f"{__version__} (commit {commit[:12]})"
