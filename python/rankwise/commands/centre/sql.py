"""Ask a question of your own in SQL, or list the tables and views with their columns.

  rankwise centre sql STORE tables
  rankwise centre sql STORE "SELECT program, SUM(node_hours) FROM runs GROUP BY program ORDER BY 2 DESC"
  rankwise centre sql STORE --csv -

It is the SQL of the engine. The store is only read, and nothing else can be read.
"""

from __future__ import annotations

import argparse
import sys

from rankwise.commands.centre.asking import add_formats, add_store, write
from rankwise.commands.limits import add_limit

_DEFAULT_LIMIT = 100
_TABLES = "tables"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_store(parser)
    parser.add_argument(
        "query", metavar="QUERY", help="a SELECT; -: from stdin; tables: list the tables and views"
    )
    add_limit(parser, _DEFAULT_LIMIT, "the answer")
    add_formats(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer, or the tables; 0, or RankwiseError if the query is wrong."""
    from rankwise.reading.centre import open_centre

    with open_centre(arguments.store, engine=arguments.engine) as centre:
        if arguments.query == _TABLES:
            answer = centre.tables()
        else:
            answer = centre.sql(sys.stdin.read() if arguments.query == "-" else arguments.query)
    write(answer, as_json=arguments.json, as_csv=arguments.csv, limit=arguments.limit)
    return 0
