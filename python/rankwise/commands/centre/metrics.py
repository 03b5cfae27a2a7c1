"""Write figures about the runs of the last days for Prometheus, and a dashboard for Grafana.

  rankwise centre metrics STORE -o /var/lib/node_exporter/textfile/rankwise.prom
  rankwise centre metrics STORE -o rankwise.prom --days 7
  rankwise centre metrics STORE -o rankwise.prom --dashboard rankwise.json

Run it from cron, on a machine whose node_exporter has --collector.textfile.directory. FILE.prom is replaced
as a whole. It has at most 200 series, with names of programs and partitions, and nothing about users.
"""

from __future__ import annotations

import argparse
from datetime import datetime, timezone
from pathlib import Path

from rankwise.commands.centre.asking import add_store
from rankwise.commands.limits import positive_count
from rankwise.errors import RankwiseError

_DAYS = 30
_MOST_DAYS = 3660
_DASHBOARD = "share/grafana/rankwise-centre.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_store(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE.prom",
        help="file; one that is there is replaced",
    )
    parser.add_argument(
        "--days",
        type=positive_count,
        default=_DAYS,
        metavar="N",
        help="runs that started in the last N days, with today (default: %(default)s)",
    )
    parser.add_argument(
        "--dashboard",
        type=Path,
        metavar="FILE.json",
        help="write a dashboard of these figures, too, which Grafana can import",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files, and print nothing; 0.

    Raises:
        RankwiseError: they can't be written, or the store can't be read.
    """
    from rankwise._files import installed
    from rankwise.centre.engines import opened
    from rankwise.centre.metrics import metrics
    from rankwise.centre.store import Store
    from rankwise.render.export.prometheus import prometheus_text
    from rankwise.whole_files import appearing, refuse_existing

    if arguments.output.suffix != ".prom":
        raise RankwiseError(f"{arguments.output}: node_exporter reads files whose names end in .prom")
    if arguments.days > _MOST_DAYS:
        raise RankwiseError(f"--days {arguments.days}: give {_MOST_DAYS} or fewer")
    if arguments.dashboard:
        refuse_existing(arguments.dashboard, force=False, option="--dashboard")
    with opened(arguments.engine, Store(arguments.store)) as engine:
        text = prometheus_text(metrics(engine, datetime.now(timezone.utc), arguments.days))
    with appearing(arguments.output) as (new,):
        new.write_text(text, encoding="utf-8")
    if arguments.dashboard:
        with appearing(arguments.dashboard, option="--dashboard") as (new,):
            new.write_bytes(installed(_DASHBOARD).read_bytes())
    return 0
