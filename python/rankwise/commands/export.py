"""Write the tables of a profile as CSV, JSON or Parquet files, or a trace for a viewer.

csv, json, parquet: one file for each table, DIR/calls.csv and so on, with the columns that
docs/reference/profile-format.md explains. calls and messages also have the names of their
communicators, procedures and regions. In CSV an empty field is a missing value; a JSON file is
a list of objects.
For a part of the run, only tables that can be restricted to it are written.

perfetto: one file in Chrome's JSON; https://ui.perfetto.dev opens it without sending it anywhere.
otf2: an archive DIR/traces.otf2 for Vampir and others.
Both have the sampled calls of each rank, and as counters what ranks did in each interval of the
run: docs/reference/traces.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands.messages import say
from rankwise.commands.selecting import add_selection, wanted

if TYPE_CHECKING:
    from rankwise.reading.profile import Profile

TABLES = ("csv", "json", "parquet")
TRACES = ("perfetto", "otf2")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise export`."""
    parser.add_argument("profile", type=Path, metavar="F.rankwise", help="the profile to read")
    parser.add_argument("--format", choices=(*TABLES, *TRACES), required=True, help="file format")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR|FILE",
        required=True,
        help="directory, created if needed; for perfetto a file, compressed if it ends in .gz",
    )
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    add_selection(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the files; 0, or RankwiseError if the profile can't be read or a file can't be written."""
    from rankwise.reading.profile import Profile

    profile = Profile(arguments.profile, wanted(arguments))
    if arguments.format in TRACES:
        _write_trace(profile, _target(arguments), arguments.format, force=arguments.force)
    else:
        left_out = profile.export(arguments.output, arguments.format, force=arguments.force)
        if left_out:
            say(f"not written, because they can't be restricted to this part: {', '.join(left_out)}")
    return 0


def _write_trace(profile: Profile, target: Path, kind: str, *, force: bool) -> None:
    from rankwise.text.units import byte_text

    written = profile.export_trace(target, kind, force=force)
    say(
        f"{written.path}: {written.events} events, {byte_text(written.bytes)}: a sample,"
        f" {written.samples}" + ("; counters of all calls" if written.counters else "")
    )
    if not written.counters:
        say("without counters and phases: there is no time line, or it can't be restricted to this part")


def _target(arguments: argparse.Namespace) -> Path:
    """Return where the trace goes to: in a directory, a Perfetto file has the profile's name."""
    output: Path = arguments.output
    if arguments.format == "perfetto" and output.is_dir():
        return output / f"{arguments.profile.stem}.json"
    return output
