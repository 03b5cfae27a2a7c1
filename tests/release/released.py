"""The files of a release, and what they are tried with."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DIST = Path(os.environ.get("RANKWISE_DIST", ROOT / "build" / "dist"))
TOOLS = ROOT / "build" / "tools" / "bin"
LIMIT_SECONDS = 1200


def run(*words: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command that has to succeed; what it says is in the error if it does not."""
    done = subprocess.run(  # type: ignore[call-overload]
        [str(word) for word in words],
        **{"capture_output": True, "text": True, "timeout": LIMIT_SECONDS, "check": False, **options},
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done


def only(pattern: str) -> Path:
    """The one file of the release with such a name."""
    matching = list(DIST.glob(pattern))
    if not matching:
        pytest.skip(f"no {pattern} in {DIST}: make dist")
    (path,) = matching
    return path


def interpreter(version: str) -> str:
    """An interpreter of this version; those that only a version manager has count, too."""
    for words in ([f"python{version}"], ["pyenv", "which", f"python{version}"]):
        if shutil.which(words[0]) is None:
            continue
        asked = words if words[0] == "pyenv" else [*words, "-c", "import sys; print(sys.executable)"]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
    managed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    if managed:
        return str(managed[-1])
    pytest.skip(f"no Python {version} here")
