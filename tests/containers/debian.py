"""Debian 11 in a folder: its programs run below chroot, with nothing of this machine but what is mounted."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from recording import LIMIT_SECONDS

import rankwise._files

ROOT = Path(__file__).parents[2] / "build" / "bullseye" / "root"
LIBRARIES = rankwise._files.installed("lib/librankwise.so").parent
# The words are: the root, the libraries, where to work, and the command. The mounts go with its processes.
ENTER = """
root=$1 libraries=$2 place=$3; shift 3
mkdir -p "$root/mnt/libraries" "$root/mnt/place" && touch "$root/etc/hosts" &&
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
mount --bind /etc/hosts "$root/etc/hosts" &&
mount --bind "$libraries" "$root/mnt/libraries" && mount --bind "$place" "$root/mnt/place" &&
exec chroot "$root" env --chdir=/mnt/place "$@"
"""
PLACE = Path("/mnt/place")  # as it is called there
PRELOADED = Path("/mnt/libraries/librankwise.so")


def is_set_up() -> bool:
    """Whether the folder is there and may be entered."""
    return ROOT.is_dir() and os.geteuid() == 0 and shutil.which("unshare") is not None


def run(
    place: Path, *words: str | Path, environment: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    """Run a command there; `place` is the only folder that both can see."""
    enter = ["unshare", "--mount", "sh", "-c", ENTER, "sh", ROOT, LIBRARIES, place]
    return subprocess.run(
        [*map(str, enter), *map(str, words)],
        env={**os.environ, **environment, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
