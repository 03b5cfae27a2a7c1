"""Add profiles, and the scheduler's accounting, to a store: each run and each job once.

  rankwise centre ingest /scratch/profiles --into STORE
  rankwise centre ingest --accounting sacct.txt --into STORE
  rankwise centre ingest /scratch/profiles --into STORE --private --pseudonyms KEY

Directories are searched for *.rankwise. It is safe to run at any time, several times at once, and from cron:
files that were read are known, and what an interrupted run has not added, the next one adds. Damaged profiles
are named and left out. sacct.txt is the output of:

  export SLURM_TIME_FORMAT=%s
  columns=JobIDRaw,JobID,Cluster,User,Account,Partition,State,Start,End,ElapsedRaw,NNodes,NCPUS
  sacct --allusers --allocations --duplicates --parsable2 --format=$columns -S 2026-11-01 -E now

or of `sacct --allusers --duplicates --json`, which also has the names of jobs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rankwise import extras
from rankwise.commands.limits import add_json
from rankwise.commands.messages import say
from rankwise.errors import RankwiseError

_MOST_LINES = 20  # about files that are left out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "profiles",
        type=Path,
        nargs="*",
        metavar="F.rankwise|DIR",
        help="profiles, and directories of profiles",
    )
    parser.add_argument(
        "--into",
        type=Path,
        required=True,
        metavar="STORE",
        help="folder of the store; made if it is not there",
    )
    parser.add_argument(
        "--accounting",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="output of sacct; may be given several times",
    )
    parser.add_argument(
        "--cluster", metavar="NAME", default="", help="on which the profiles were recorded, as sacct names it"
    )
    parser.add_argument(
        "--private",
        action="store_true",
        help="leave out command lines, paths, tags, names that programs chose, and sentences about them",
    )
    parser.add_argument(
        "--pseudonyms",
        type=Path,
        metavar="KEYFILE",
        help="replace names of users by pseudonyms, made with the secret key in this file",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Add them, and print how many; 0, or 1 if something could not be read.

    Raises:
        RankwiseError: there is nothing to add, or the store can't be read or written.
    """
    extras.check("pyarrow", extras.CENTRE)
    from rankwise.centre.accounting import read_accounting
    from rankwise.centre.hiding import Hiding, key_in
    from rankwise.centre.ingest import add_accounting, counts, ingest
    from rankwise.centre.store import Store

    if not arguments.profiles and not arguments.accounting:
        raise RankwiseError("give profiles, directories of profiles, or --accounting FILE")
    hiding = Hiding(
        key=key_in(arguments.pseudonyms) if arguments.pseudonyms else None, work=arguments.private
    )
    accountings = [read_accounting(path) for path in arguments.accounting]
    store = Store.made(arguments.into)
    done = ingest(store, arguments.profiles, cluster=arguments.cluster, hiding=hiding)
    for accounting in accountings:
        done.jobs += add_accounting(store, accounting.rows, hiding)
    problems = [left_out.reason for left_out in [*done.damaged, *done.unreadable]]
    problems += [fault for accounting in accountings for fault in accounting.wrong]
    for problem in problems[:_MOST_LINES]:
        say(f"left out: {problem}")
    if len(problems) > _MOST_LINES:
        say(f"left out: {len(problems) - _MOST_LINES} more files and lines")
    if arguments.json:
        sys.stdout.write(f"{json.dumps({**counts(done), 'problems': problems}, indent=2)}\n")
    else:
        said = [_number(done.runs, "run") + " added"] if arguments.profiles else []
        said += [_number(done.known, "run") + " already there"] if done.known else []
        said += [_number(done.jobs, "job") + " of the accounting added"] if accountings else []
        said += [_number(done.old, "run") + " of months that the store does not keep"] if done.old else []
        said += [_number(len(problems), "problem")] if problems else []
        print(", ".join(said))
    return int(bool(problems))


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
