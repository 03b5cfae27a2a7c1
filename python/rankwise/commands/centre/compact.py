"""Merge the many small files of past months of a store, and remove old months.

  rankwise centre compact STORE
  rankwise centre compact STORE --keep-months 24

Questions are answered faster afterwards, with the same answers. Run it once a month, from cron. Ingests at
the same time wait, and questions continue. An interrupted run is completed or undone by the next ingest.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime, timezone
from pathlib import Path

from rankwise import extras
from rankwise.commands.limits import add_json, positive_count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("store", type=Path, metavar="STORE", help="folder of the store")
    parser.add_argument(
        "--keep-months",
        type=positive_count,
        metavar="MONTHS",
        help="keep this month and MONTHS months before it, and remove older ones; ingests do not add these",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Merge, and print a summary.

    Raises:
        RankwiseError: the store can't be read or written, or all months would go.
    """
    extras.check("pyarrow", extras.CENTRE)
    from rankwise.centre.compaction import compact
    from rankwise.centre.store import Store

    done = compact(Store(arguments.store), datetime.now(timezone.utc), arguments.keep_months)
    if arguments.json:
        answer = {
            "merged": done.merged,
            "removed": done.removed,
            "files_before": done.files_before,
            "files_after": done.files_after,
        }
        sys.stdout.write(f"{json.dumps(answer, indent=2)}\n")
    else:
        said = [f"merged: {', '.join(done.merged)}"] if done.merged else ["nothing to merge"]
        said += [f"removed: {', '.join(done.removed)}"] if done.removed else []
        print(f"{'; '.join(said)}; {done.files_before} files before, {done.files_after} now")
    return 0
