"""Programs that run with other rights than their user's: the loader preloads nothing into them.

Sources: ld.so(8), "Secure-execution mode"; capabilities(7), "File capabilities"; linux/capability.h.
"""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

CURE = "the loader preloads nothing into it; run a copy with the rights of its user: cp {0} {1}.copy"

_ATTRIBUTE = "security.capability"
_EFFECTIVE = 1  # in the first word, which has the revision, too
_PERMITTED = (1, 3)  # words with the capabilities that it gets; the inheritable ones are between them


def of(path: Path) -> str:
    """Return what gives a program other rights, in words; '' if nothing does, or not for this user."""
    try:
        status = path.stat()
        if os.statvfs(path).f_flag & os.ST_NOSUID:
            return ""
    except OSError:
        return ""
    if status.st_mode & stat.S_ISUID and status.st_uid != os.getuid():
        return "is set-uid"
    if status.st_mode & stat.S_ISGID and status.st_gid != os.getgid():
        return "is set-gid"
    return "has file capabilities" if os.getuid() != 0 and _has_capabilities(path) else ""


def cure(path: Path) -> str:
    """Return what the user can do."""
    return CURE.format(path, path.name)


def _has_capabilities(path: Path) -> bool:
    try:
        value = os.getxattr(path, _ATTRIBUTE)
        words = struct.unpack(f"<{len(value) // 4}I", value[: len(value) // 4 * 4])
    except (OSError, struct.error):  # it has none
        return False
    return bool(words) and bool(words[0] & _EFFECTIVE or any(words[i] for i in _PERMITTED if i < len(words)))
