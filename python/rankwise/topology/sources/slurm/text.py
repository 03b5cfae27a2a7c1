"""Text of Slurm's files, gzipped or not, with any byte order mark."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from rankwise.errors import RankwiseError

_GZIP = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def text_of(path: Path) -> str:
    """Return the text of a file; RankwiseError if it can't be read, or is no text."""
    try:
        data = path.read_bytes()
        if data.startswith(_GZIP):
            data = gzip.decompress(data)
        return data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8-sig")
    except OSError as error:
        raise RankwiseError(f"cannot read {path}: {error.strerror or error}") from error
    except (UnicodeDecodeError, EOFError, zlib.error) as error:
        raise RankwiseError(f"cannot read {path}: it is not text") from error
