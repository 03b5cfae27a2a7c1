"""Keep the runs of a whole computing centre, and ask which waste most.

  rankwise centre ingest ~/profiles --into STORE
  rankwise centre waste STORE

Questions need no server: they read the files of the store.
"""

from __future__ import annotations

import argparse

SUB_VERBS = (
    "ingest",
    "compact",
    "waste",
    "programs",
    "jobs",
    "users",
    "hosts",
    "trends",
    "mine",
    "letter",
    "site",
    "metrics",
    "sql",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare none: all that it does is done by its sub-verbs."""
    parser.usage = "rankwise centre SUB-VERB [options] ..."
