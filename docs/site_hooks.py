"""Makes the site of what the repository has: its other pages are added, links to sources become names.

The site is read where there is no checkout, so a link out of it would lead nowhere. Such links are still
checked: each link to a missing file is a warning, and `mkdocs build --strict` fails.
"""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

LOG = logging.getLogger("mkdocs.hooks.site")
ROOT = Path(__file__).parents[1]
PAGES_FROM_OUTSIDE = {
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "develop/contributing.md",
    "SECURITY.md": "develop/security.md",
    "bench/README.md": "develop/benchmarks.md",
    "examples/heat/README.md": "start/heat.md",
    "examples/introspection/README.md": "reference/introspection-examples.md",
}
"""Pages of the site by the files of the repository that they are made from."""
FIRST_FOUND = ("start/", "how-to/")
"""Folders of pages that a search lists before others."""
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")

FETCHED = re.compile(
    r"""(?:\bsrc=|<link[^>]*rel=["']?(?:stylesheet|preload)[^>]*href=)["']?((?:https?:)?//[^"'\s>]+)"""
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made from files outside of docs/."""
    for source, page in PAGES_FROM_OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to where their targets are in the site."""
    del config, files
    uri = page.file.src_uri
    if uri.startswith(FIRST_FOUND):
        page.meta["search"] = {"boost": 2}
    sources = {target: source for source, target in PAGES_FROM_OUTSIDE.items()}
    folder = Path(sources.get(uri, f"docs/{uri}")).parent
    return LINK.sub(lambda match: _link(match[1], match[2], folder, uri), markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Warn of anything that a browser would fetch from elsewhere: the site is complete without a network."""
    del config
    for address in FETCHED.findall(output):
        LOG.warning("%s: fetches %s", page.file.src_uri, address)
    return output


def _link(text: str, target: str, folder: Path, uri: str) -> str:
    """Return a link, or the name of a file that is not part of the site."""
    path, sharp, anchor = target.partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return f"[{text}]({target})"
    name = os.path.normpath(folder / path)
    page = PAGES_FROM_OUTSIDE.get(name) or (name.removeprefix("docs/") if name.startswith("docs/") else None)
    if page:
        return f"[{text}]({os.path.relpath(page, Path(uri).parent)}{sharp}{anchor})"
    if not (ROOT / name).exists():
        LOG.warning("%s: no file %s", uri, name)
    shown = text.strip("`")
    return f"`{name}`" if name.endswith(shown) else f"{text} (`{name}`)"
