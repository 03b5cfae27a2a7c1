"""Files of a fabric as bytes, pieces and lines, gzipped or not; complaints name file and line."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BufferedIOBase
from pathlib import Path

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import GAP
from rankwise.text.units import byte_text

HEAD = 1 << 16
"""This many bytes identify the format of a file."""
MOST_BYTES = 1 << 30
"""Unpacked; of files that are read at once."""
_MOST_IN_PIECES = 1 << 36
"""Unpacked; the tables of 43,000 hosts and 4,000 switches take 2 GB, with names of the hosts 15 GB."""
_PIECE = 1 << 20
_AT_ONCE = 1 << 26
_AT_ONCE_PACKED = 1 << 22
"""Larger files are left on the disk until they are read."""
MOST_IN_LINE = 4096
_MOST_IN_LINES = 1 << 27  # all but tables: 400,000 links

_MOST_SHOWN = 80

_GZIP = b"\x1f\x8b"
_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
"""Of byte order, which editors and redirections on Windows put in front."""
_COMPLAINT = re.compile(
    rb"(?:[\w./+-]+: )?(?:ib(?:warn|error|panic|debug)|(?i:warn(?:ing)?|err(?:or)?)):? .*"
    rb"|[\w./-]+\.[ch]:\d+; .*|mlx\d+: .*|lib(?:ib|mlx|hfi)\w*: .*"
)
"""Messages of tools on stderr, which are mixed in where both streams went into one file."""
_COMPLAINTS = re.compile(rb"\n(" + _COMPLAINT.pattern + rb")(?=\n|\Z)")  # much faster than ^ of each line


@dataclass(frozen=True)
class TextFile:
    """A file, as a whole or in pieces.

    Attributes:
        path: as it was given.
        content: unpacked; None: it is large, and stays on the disk.
    """

    path: str
    content: bytes | None = None

    @cached_property
    def data(self) -> bytes:
        """The content, unpacked.

        Raises:
            RankwiseError: it can't be read or unpacked, or is too large.
        """
        if self.content is not None:
            return self.content
        return _whole(Path(self.path))

    @property
    def size(self) -> int:
        """How many bytes it has, packed if it is large; 0: that is not known."""
        if self.content is not None:
            return len(self.content)
        try:
            return Path(self.path).stat().st_size
        except OSError:  # reading it reports the error
            return 0

    @property
    def head(self) -> bytes:
        """The first bytes, which identify its format; RankwiseError as of `data`."""
        return head_of(Path(self.path)) if self.content is None else self.content[:HEAD]

    def pieces(self) -> Iterator[memoryview]:
        """Yield the content, unpacked, in pieces of whole lines; only the last one may have no end of line.

        A piece also ends within a line that is far too long. It is gone when the next one is asked for.

        Raises:
            RankwiseError: it can't be read or unpacked, or is too large.
        """
        if self.content is not None:
            yield memoryview(self.content)
            return
        buffer, filled, total = bytearray(_PIECE), 0, 0
        with _reading(Path(self.path)) as file:
            while more := file.readinto(memoryview(buffer)[filled:]):
                if not total and buffer.startswith(tuple(_MARKS)):
                    yield memoryview(self.data)
                    return
                filled, total = filled + more, total + more
                if total > _MOST_IN_PIECES:
                    raise _too_large(self.path, _MOST_IN_PIECES)
                end = buffer.rfind(b"\n", 0, filled) + 1
                if end or filled == len(buffer):
                    end = end or filled
                    yield memoryview(buffer)[:end]
                    buffer[: filled - end] = buffer[end:filled]
                    filled -= end
        yield memoryview(buffer)[:filled]

    @cached_property
    def checked(self) -> bytes:
        """The content, with # in place of messages of tools.

        Raises:
            RankwiseError: a line, or the file, is so long that no tool has written it.
        """
        if len(self.data) > _MOST_IN_LINES:
            raise RankwiseError(
                f"{self.path} is larger than {byte_text(_MOST_IN_LINES)}: files of a fabric are smaller"
            )
        text = without_complaints(self.data) if self.complaints else self.data
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        sizes = np.diff(ends, prepend=-1, append=len(text)) - 1
        for place in np.flatnonzero(sizes > MOST_IN_LINE).tolist():
            begin = int(ends[place - 1]) + 1 if place else 0
            if len(text[begin : begin + int(sizes[place])].decode("utf-8", "replace")) > MOST_IN_LINE:
                raise self.error(place + 1, f"is longer than {MOST_IN_LINE} characters")
        return text

    @cached_property
    def lines(self) -> list[str]:
        """All lines, without their ends; # in place of messages of tools.

        Raises:
            RankwiseError: a line, or the file, is so long that no tool has written it.
        """
        lines = self.checked.decode("utf-8", "replace").split("\n")
        if lines[-1] == "":
            lines.pop()
        return [line.removesuffix("\r") for line in lines]

    @cached_property
    def complaints(self) -> list[str]:
        """One line about messages of tools in between, if there are any."""
        complaints_found = _COMPLAINTS.findall(b"\n" + self.data)
        return [complained(self.path, len(complaints_found), complaints_found[0])] if complaints_found else []

    def is_cut(self, line: int) -> bool:
        """Return whether a line, from 1 on, has no end: something may be missing there."""
        return not self.data.endswith(b"\n") and line == self._ends + 1

    @cached_property
    def _ends(self) -> int:
        return self.data.count(b"\n")

    def error(self, line: int, message: str) -> RankwiseError:
        """Return the complaint about a line, from 1 on."""
        return RankwiseError(f"{self.path}: line {line}: {message}")


def is_complaint(line: bytes) -> bool:
    """Return whether a line is an error message of a tool that was mixed into its output."""
    return _COMPLAINT.fullmatch(line) is not None


def complained(path: str, count: int, first: bytes) -> str:
    """Return the warning about lines with complaints of tools.

    Args:
        path: of the file.
        count: how many there are.
        first: of them.
    """
    return (
        f"{GAP}{path}: the tool that wrote it complained {count} time{'s' * (count > 1)}, and the data it "
        f"could not read is missing: {printable(first.decode('utf-8', 'replace'))[:_MOST_SHOWN]}"
    )


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file, unpacked.

    Raises:
        RankwiseError: it can't be read, or unpacked.
    """
    return _read(path, HEAD)


def without_complaints(head: bytes) -> bytes:
    """Return the first bytes of a file, or all, with # in place of complaints of tools."""
    return _COMPLAINTS.sub(b"\n#", b"\n" + head)[1:]


def read_text(path: Path) -> TextFile:
    """Read a file, unless it is large; RankwiseError if it can't be read or unpacked, or is too large."""
    return TextFile(str(path)) if _stays(path) else TextFile(str(path), _whole(path))


def _stays(path: Path) -> bool:
    """Return whether a file is so large that it is left on the disk; a pipe can be read only once."""
    try:
        if not path.is_file() or path.stat().st_size <= _AT_ONCE_PACKED:
            return False
        with path.open("rb") as file:
            return path.stat().st_size > _AT_ONCE or file.read(len(_GZIP)) == _GZIP
    except OSError:  # reading it reports the error
        return False


def _whole(path: Path) -> bytes:
    data = _read(path, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise _too_large(str(path), MOST_BYTES)
    return data


def _too_large(path: str, most: int) -> RankwiseError:
    return RankwiseError(f"{path} is larger than {byte_text(most)}: this is not a file of a fabric")


def _read(path: Path, most: int) -> bytes:
    data = _bytes_of(path, most)
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            data = data.removeprefix(mark)
            return data if encoding == "utf-8" else data.decode(encoding, "replace").encode()
    return data


def _bytes_of(path: Path, most: int) -> bytes:
    with _reading(path) as file:
        return file.read(most)


@contextmanager
def _reading(path: Path) -> Iterator[BufferedIOBase]:
    """Open a file, gzipped or not; errors while it is read become RankwiseError."""
    try:
        with path.open("rb") as file:
            if file.peek(2)[:2] != _GZIP:
                yield file
                return
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield unpacked
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RankwiseError(f"{path} can't be unpacked: it is damaged or cut off; copy it again") from error
    except OSError as error:
        raise RankwiseError(f"cannot read {path}: {error.strerror or error}") from error


def printable(text: str) -> str:
    """Return the text with ? for each character that can't be printed as it is."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else "?" for character in text)
