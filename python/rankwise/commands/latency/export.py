"""Write a measurement as a table or as matrices, for spreadsheets, NumPy and MATLAB.

CSV has a row for each pair and size. npz and mat have a matrix for each statistic of one message size: mean,
std (the deviation), min, median, p95, bandwidth, repeats; and host, the name of each rank's node. Times are
half a round trip in us. `rankwise latency show --to` writes mmpi's logs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.sizes import message_size

FORMATS = ("csv", "npz", "mat")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "file", type=Path, metavar="F.json", help="the measurement; logs of mmpi and mpiGraph, too"
    )
    parser.add_argument(
        "--to", choices=FORMATS, required=True, help="csv: pairs; npz: NumPy's matrices; mat: MATLAB's"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", required=True, help="the file to write")
    parser.add_argument(
        "--size",
        type=message_size,
        metavar="BYTES",
        help="of the messages, such as 64 or 1M (default: csv has all, the others the smallest)",
    )
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")


def run(arguments: argparse.Namespace) -> int:
    """Write; 0, or RankwiseError if the measurement can't be read or the file not written."""
    from rankwise.latency.formats import detect, tables
    from rankwise.whole_files import refuse_existing

    refuse_existing(arguments.output, force=arguments.force)
    tables.write(detect.read(arguments.file), arguments.output, arguments.to, arguments.size)
    return 0
