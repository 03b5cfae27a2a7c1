"""Write static pages about all runs of a centre, or the runs of one user.

  rankwise centre site STORE -o /srv/www/rankwise --since 2026-01
  rankwise centre site STORE -o ~/public_html/runs --user alice
  rankwise centre site STORE -o /srv/www/rankwise-users --users

The pages need no server of Rankwise and no JavaScript. They show names of users and programs: restrict the
access to them in your web server. With --user, they show this user's runs alone; with --users, DIR/NAME has
such pages of each user. The folder appears as a whole, or is unchanged.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from rankwise.commands.centre.asking import add_since, add_store
from rankwise.errors import RankwiseError

_MARK = ".rankwise-site.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_store(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="folder of the pages")
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--user", metavar="NAME", help="only runs of this user")
    whose.add_argument("--users", action="store_true", help="a folder of pages for each user")
    add_since(parser)
    parser.add_argument(
        "--title", metavar="TEXT", default="MPI runs", help="of the site (default: %(default)s)"
    )
    parser.add_argument("--force", action="store_true", help="replace pages that this verb wrote into DIR")


def run(arguments: argparse.Namespace) -> int:
    """Write the pages, and print how many; 0.

    Raises:
        RankwiseError: DIR has something else or can't be written, the store can't be read, or has no runs of
            the user.
    """
    from rankwise.centre.asked import Asked
    from rankwise.centre.engines import opened
    from rankwise.centre.engines.engine import Engine
    from rankwise.centre.site import all_users, site_content
    from rankwise.centre.store import Store
    from rankwise.render.page.centre.site import site_pages
    from rankwise.whole_folders import check_folder, write_folder

    if arguments.user == "":
        raise RankwiseError("--user needs a name")
    check_folder(arguments.output, _MARK, force=arguments.force)
    now = datetime.now(timezone.utc)

    def pages(engine: Engine, user: str, directory: Path) -> Iterator[tuple[str, bytes]]:
        asked = Asked(since=arguments.since or "", user=user)
        title = f"{arguments.title} of {user}" if user else arguments.title
        return site_pages(site_content(engine, asked), title=title, written=now, directory=directory)

    def files(engine: Engine) -> Iterator[tuple[str, bytes]]:
        if not arguments.users:
            yield from pages(engine, arguments.user or "", arguments.output)
            return
        for user, folder in all_users(engine, Asked(since=arguments.since or "")):
            for name, content in pages(engine, user, arguments.output / folder):
                yield f"{folder}/{name}", content

    with opened(arguments.engine, Store(arguments.store)) as engine:
        written = write_folder(arguments.output, _MARK, files(engine))
    print(f"{arguments.output}: {written} pages")
    return 0
