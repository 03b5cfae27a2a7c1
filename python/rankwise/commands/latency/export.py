"""Write a measurement as a table, as matrices or as a log, for spreadsheets, NumPy, MATLAB and mmpi's tools.

CSV has a row for each pair and size. npz and mat have a matrix for each statistic of one message size: mean,
std (the deviation), min, median, p95, bandwidth, repeats; and host, the name of each rank's node. Times are
half a round trip in us. mmpi is a log as mmpi writes it, of one message size; json is a measurement as
`rankwise latency` writes it, with all sizes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.sizes import message_size
from rankwise.errors import RankwiseError

FORMATS = ("csv", "npz", "mat", "mmpi", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "file", type=Path, metavar="F.json", help="the measurement; logs of mmpi and mpiGraph, too"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        required=True,
        help="csv: pairs; npz: NumPy's matrices; mat: MATLAB's; mmpi: its log; json: Rankwise's own",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", required=True, help="the file to write")
    parser.add_argument(
        "--size",
        type=message_size,
        metavar="SIZE",
        help="of the messages, such as 64 or 1M (default: csv and json have all, the others the smallest)",
    )
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")


def run(arguments: argparse.Namespace) -> int:
    """Write; 0, or RankwiseError if the measurement can't be read or the file not written."""
    from rankwise.latency.formats import detect, mmpi, own, tables
    from rankwise.whole_files import refuse_existing

    output: Path = arguments.output
    files = [output]
    if arguments.format == "json":
        if arguments.size is not None:
            raise RankwiseError("--size does not go with --format json, which keeps all sizes: remove it")
        files.append(own.table_path(output))
    refuse_existing(*files, force=arguments.force)
    measurement = detect.read(arguments.file)
    if arguments.format == "json":
        own.write(measurement, output, arguments.force)
    elif arguments.format == "mmpi":
        mmpi.write(measurement, output, arguments.force, arguments.size)
    else:
        tables.write(measurement, output, arguments.format, arguments.size)
    return 0
