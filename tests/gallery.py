"""Reports of real programs, and pictures of all their pages: python tests/gallery.py [--keep] [PROGRAM ...].

Records LAMMPS, the example and hpcc, writes their reports into build/gallery, and takes a screenshot of each
page at three widths and in both themes. --keep also puts those that the documentation shows into
docs/figures/report, and of each page a sheet with all of them into tests/references/report: what it looked
like when somebody last looked at it.
Needs Debian's lammps, hpcc, openmpi and chromium, and Playwright.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "unit"))

import browsers  # noqa: E402

PROGRAMS = HERE / "mpi" / "programs"
EXAMPLE = HERE.parent / "examples" / "heat" / "heat.c"
GALLERY = HERE.parent / "build" / "gallery"
FIGURES = HERE.parent / "docs" / "figures" / "report"
RANKS = 8
FABRIC = ("--fabric", str(HERE / "fabrics" / "small-ftree"), "--place", f"node[0001,0005]*{RANKS // 2}")
WIDTHS = (360, 1280, 2560)
THEMES = ("light", "dark")
HEIGHT = 900
SECONDS = 300  # that a job may take, or a page
# Containers run as root and have few cores; Open MPI must be told that both are meant.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
IN_DOCS = {
    "lammps": ("overview", "communicators", "calls", "matrix", "balance", "time-line"),
    "hpcc": ("place", "sites", "network"),
}
"""Of each program the pages that the documentation shows."""
COLOURS = 128  # of a picture that is kept: a third of the bytes, and nobody sees it
REFERENCES = HERE / "references" / "report"
ON_SHEETS = {"lammps": (), "hpcc": ("network",)}
"""Of each program the pages that have sheets; (): those that no other program has."""
SHEET_HEIGHT = 1500  # pixels of a page; half of them on the sheet


def lammps(folder: Path) -> list[str]:
    """A melt of Lennard-Jones atoms."""
    shutil.copy(PROGRAMS / "in.lj", folder)
    return ["lmp", "-in", "in.lj", "-log", "none"]


def heat(folder: Path) -> list[str]:
    """The example of the documentation, with debugging information, so that call sites are lines."""
    subprocess.run(["mpicc.openmpi", "-g", "-O2", "-o", folder / "heat", EXAMPLE, "-lm"], check=True)
    return [str(folder / "heat")]


def hpcc(folder: Path) -> list[str]:
    """The HPC Challenge benchmark, small."""
    shutil.copy(PROGRAMS / "hpccinf.txt", folder)
    return ["hpcc"]


JOBS: dict[str, Callable[[Path], list[str]]] = {"lammps": lammps, "heat": heat, "hpcc": hpcc}


def main() -> int:
    """Make all of it; 1 if a page complained."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(JOBS)} (default: all)")
    parser.add_argument("--keep", action="store_true", help="put pictures into docs and tests, too")
    arguments = parser.parse_args()
    unknown = set(arguments.programs) - JOBS.keys()
    if unknown:
        parser.error(f"no program {', '.join(sorted(unknown))}: give some of {', '.join(JOBS)}")
    complaints: list[str] = []
    with browsers.browser() as browser:
        for name in arguments.programs or JOBS:
            report = recorded(name)
            complaints += pictures(browser, name, report)
    if arguments.keep:
        for name in arguments.programs or JOBS:
            for page in IN_DOCS.get(name, ()):
                into_docs(name, page)
            for page in sheets(name):
                sheet(name, page)
    print("\n".join(complaints) or f"look at {GALLERY}")
    return 1 if complaints else 0


def recorded(name: str) -> Path:
    """Run a program under Rankwise in a folder of its own, and return its report."""
    folder = GALLERY / name
    folder.mkdir(parents=True, exist_ok=True)
    rankwise = [sys.executable, "-m", "rankwise"]
    launch = ["mpirun.openmpi", "--oversubscribe", "-n", str(RANKS), *JOBS[name](folder)]
    profile, report = folder / f"{name}.rankwise", folder / f"{name}.html"
    environment = {**os.environ, **ENVIRONMENT}
    for words in (
        [*rankwise, "run", "--force", "-o", str(profile), "--", *launch],
        [*rankwise, "report", str(profile), "-o", str(report), "--force", *FABRIC],
    ):
        with (folder / "output.txt").open("w") as output:
            subprocess.run(
                words, check=True, cwd=folder, env=environment, timeout=SECONDS, stdout=output, stderr=output
            )
    print(f"{report}: {report.stat().st_size / 1e6:.2f} MB", flush=True)
    return report


def pictures(browser: Any, name: str, report: Path) -> list[str]:
    """Take the screenshots; return what the pages complained of, and what hangs out of the window."""
    complaints = []
    for width in WIDTHS:
        for theme in THEMES:
            tab = browsers.Tab(browser, report, width=width, color_scheme=theme)
            ids = tab.page.eval_on_selector_all("[role=tab]", "tabs => tabs.map(tab => tab.id)")
            for page in (tab_id.removeprefix("tab-") for tab_id in ids):
                tab.click(f"#tab-{page}")
                tab.page.wait_for_timeout(300)  # what is drawn piece by piece is whole
                tab.page.screenshot(path=picture(name, page, width, theme), full_page=True)
                over = tab.page.evaluate("document.documentElement.scrollWidth") - width
                if over > 0:
                    complaints.append(f"{name}, {page}, {width} px: {over} px too wide")
            complaints += [f"{name}, {width} px: {complaint}" for complaint in tab.complaints]
            tab.page.close()
    return complaints


def picture(name: str, page: str, width: int, theme: str) -> Path:
    return GALLERY / name / f"{page}-{width}-{theme}.png"


def into_docs(name: str, page: str) -> None:
    """Put the first screen of a page into the documentation, in few colours."""
    from PIL import Image

    whole = Image.open(picture(name, page, 1280, "light")).convert("RGB")
    FIGURES.mkdir(parents=True, exist_ok=True)
    first = whole.crop((0, 0, whole.width, min(whole.height, HEIGHT)))
    target = FIGURES / f"{page}.png"
    first.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target}: {target.stat().st_size / 1e3:.0f} kB")


def sheets(name: str) -> list[str]:
    """Return the pages of a program that have sheets."""
    if name not in ON_SHEETS or ON_SHEETS[name]:
        return list(ON_SHEETS.get(name, ()))
    others = {page for pages in ON_SHEETS.values() for page in pages}
    made = {path.name.removesuffix("-1280-light.png") for path in (GALLERY / name).glob("*-1280-light.png")}
    return sorted(made - others)


def sheet(name: str, page: str) -> None:
    """Put all pictures of a page side by side, at half their size, in few colours."""
    from PIL import Image

    shown = [Image.open(picture(name, page, width, theme)) for width in WIDTHS for theme in THEMES]
    parts = [
        image.convert("RGB").crop((0, 0, image.width, min(image.height, SHEET_HEIGHT))) for image in shown
    ]
    parts = [part.resize((part.width // 2, part.height // 2)) for part in parts]
    whole = Image.new("RGB", (sum(part.width for part in parts), max(part.height for part in parts)), "white")
    left = 0
    for part in parts:
        whole.paste(part, (left, 0))
        left += part.width
    REFERENCES.mkdir(parents=True, exist_ok=True)
    target = REFERENCES / f"{page}.png"
    whole.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target}: {target.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    sys.exit(main())
