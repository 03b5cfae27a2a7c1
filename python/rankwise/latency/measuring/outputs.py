"""Where a measurement goes: the files, and the directory that the probe works in."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.latency.formats.own import table_path
from rankwise.launch.batch import batch_job
from rankwise.whole_files import refuse_existing

SUFFIXES = {"json": ".json", "mmpi": ".log"}


@dataclass(frozen=True)
class Outputs:
    """The files of a measurement; all absolute, and in one directory.

    Attributes:
        path: what the user asked for: the header, or the log in a foreign format.
        table: of all pairs, beside the header; None in a foreign format.
        directory: that the probe works in, on every node.
    """

    path: Path
    table: Path | None
    directory: Path

    @classmethod
    def named(cls, wanted: Path | None, format_: str, environment: Mapping[str, str]) -> Outputs:
        """Name the files.

        Args:
            wanted: by the user; None = after the job or the time.
            format_: key of SUFFIXES.
            environment: that tells the job.

        Raises:
            RankwiseError: the name is a table's.
        """
        now = f"{datetime.now():%Y-%m-%d_%H-%M-%S}"
        job = batch_job(environment).replace("/", "_") or now
        path = (wanted or Path(f"latency.{job}{SUFFIXES[format_]}")).absolute()
        table = table_path(path) if format_ == "json" else None
        return cls(path, table, path.with_name(f"{path.name}-run"))

    @property
    def files(self) -> list[Path]:
        """All files that will be there at the end."""
        return [self.path, self.table] if self.table else [self.path]

    def check(self, *, force: bool) -> None:
        """Refuse what could not be written at the end.

        Raises:
            RankwiseError: a file is there already, or can't be written.
        """
        parent = self.path.parent
        if not parent.is_dir():
            raise RankwiseError(f"{parent} is not a directory: make it, or give another path with -o")
        refuse_existing(*self.files, force=force)
        if not os.access(parent, os.W_OK | os.X_OK):
            raise RankwiseError(f"{parent} can't be written to: give another path with -o")

    def make_directory(self, *, force: bool) -> None:
        """Make the directory that the probe works in, fresh.

        Raises:
            RankwiseError: it is there: another measurement runs, or one was killed.
        """
        if force and self.directory.is_dir() and not self.directory.is_symlink():
            shutil.rmtree(self.directory)
        try:
            self.directory.mkdir(mode=0o700)
        except FileExistsError:
            raise RankwiseError(
                f"{self.directory} already exists, so a measurement is running or was killed: give another "
                "name with -o, or use --force"
            ) from None
        except OSError as error:
            raise RankwiseError(f"{self.directory}: {error.strerror}; give another path with -o") from None

    def remove_directory(self) -> None:
        """Remove what the probe has left; never fails."""
        with contextlib.suppress(OSError):
            shutil.rmtree(self.directory)
