"""Counts phrases that readers stumble over, and fails if a file has more of them than before.

    python tests/lint/phrases.py          # compare, and print the counts per 1,000 lines
    python tests/lint/phrases.py --show [FILE ...]
    python tests/lint/phrases.py --store  # after files were edited or moved

The phrases are in phrases.txt. phrases-left.txt says how many each file still has: its numbers only shrink,
and files that it does not list have none.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PHRASES = Path(__file__).with_name("phrases.txt")
LEFT = Path(__file__).with_name("phrases-left.txt")


@dataclass(frozen=True)
class Area:
    """Files that are counted together."""

    name: str
    folders: tuple[str, ...]
    endings: tuple[str, ...]


AREAS = (
    Area("screens", ("tests/unit/screens/",), (".txt",)),
    Area("Python", ("python/", "api/", "bench/", "tests/"), (".py",)),
    Area("C++", ("src/", "include/", "tests/", "bench/", "examples/"), (".cpp", ".h", ".c", ".S")),
    Area("TypeScript", ("web/src/",), (".ts",)),
    Area("docs", ("docs/", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"), (".md",)),
)
GENERATED = ("/generated/", "third_party/")


def phrases() -> re.Pattern[str]:
    """Return what matches any of the phrases, also where a line ends between their words."""
    lines = PHRASES.read_text(encoding="utf-8").splitlines()
    listed = [line.partition("\t")[0] for line in lines if line and not line.startswith("#")]
    longest_first = sorted(listed, key=len, reverse=True)
    gap = r"(?:\s|[\"#/*])+"  # comments and strings go on in the next line
    alternatives = "|".join(phrase.replace(" ", gap) for phrase in longest_first)
    return re.compile(rf"(?<![\w-])(?:{alternatives})(?![\w-])", re.IGNORECASE)


def files_of(area: Area) -> list[str]:
    """Return the tracked files of an area, by their path in the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.splitlines() if is_in(name, area) and (ROOT / name).is_file()]


def is_in(name: str, area: Area) -> bool:
    """Return whether a file is one of an area's that people write."""
    in_folders = name.startswith(area.folders) and name.endswith(area.endings)
    return in_folders and not any(part in name for part in GENERATED)


def stored() -> Counter[str]:
    """Return how many phrases each file may still have."""
    if not LEFT.exists():
        return Counter()
    lines = (line.split(" ", 1) for line in LEFT.read_text(encoding="utf-8").splitlines())
    return Counter({name: int(count) for count, name in lines})


def show(pattern: re.Pattern[str], names: list[str]) -> None:
    """Print each phrase that is found, with its place."""
    for name in names:
        text = (ROOT / name).read_text(encoding="utf-8")
        lines = text.splitlines()
        for match in pattern.finditer(text):
            number = text.count("\n", 0, match.start()) + 1
            print(f"{name}:{number}: [{' '.join(match.group().split())}] {lines[number - 1].strip()[:120]}")


def main() -> int:
    """Compare or store the counts, or show the phrases; return 1 if there are more than before."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--show", nargs="*", metavar="FILE", help="print the phrases of these files, or of all"
    )
    parser.add_argument(
        "--store", action="store_true", help="write the counts; no area may have more than before"
    )
    arguments = parser.parse_args()
    pattern = phrases()
    if arguments.show is not None:
        show(pattern, arguments.show or [name for area in AREAS for name in files_of(area)])
        return 0
    before, now, grown = stored(), Counter[str](), []
    print(f"{'phrases':12}{'count':>8}{'lines':>9}{'per 1,000':>11}")
    for area in AREAS:
        names = files_of(area)
        texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in names}
        counts = Counter({name: len(pattern.findall(text)) for name, text in texts.items()})
        lines = sum(text.count("\n") for text in texts.values())
        total = counts.total()
        print(f"{area.name:12}{total:8}{lines:9,}{1000 * total / max(lines, 1):11.1f}")
        allowed = sum(count for name, count in before.items() if is_in(name, area))
        if before and total > allowed:
            grown.append(area.name)
        now += counts
    if arguments.store:
        if grown:
            print(f"more than before: {', '.join(grown)}; nothing is written")
            return 1
        kept = [f"{now[name]} {name}\n" for name in sorted(now) if now[name]]
        LEFT.write_text("".join(kept), encoding="utf-8")
        return 0
    more = sorted(name for name in now if now[name] > before[name])
    for name in more:
        print(f"{name}: {now[name]} phrases, {before[name]} before; phrases.py --show {name} lists them")
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
