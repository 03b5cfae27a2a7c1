"""How large reports of large jobs are, how long it takes to write and to open them, how smoothly they zoom.

The profiles are made up here.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import browsers
import large_profiles
import pytest

from common.errors import BenchError

_FEW, _MANY = large_profiles.Grid(16, 16, 16), large_profiles.Grid(32, 32, 16)
_AIMS = {"report": 5.0, "opened": 2.0, "frame": 33.0}
_OPENS = 3  # the fastest one counts
_FRAMES = 90
# Half of them zoom in, half of them out; the time from frame to frame, in ms.
_ZOOM = """async ([canvas, frames]) => {
  const place = document.querySelector(canvas).getBoundingClientRect();
  const times = [];
  for (let last = 0, frame = 0; frame < frames; frame++) {
    const wheel = { deltaY: frame < frames / 2 ? -60 : 60, ctrlKey: true, bubbles: true, cancelable: true };
    const at = { clientX: place.left + 0.4 * place.width, clientY: place.top + 0.4 * place.height };
    document.querySelector(canvas).dispatchEvent(new WheelEvent("wheel", { ...wheel, ...at }));
    const now = await new Promise(requestAnimationFrame);
    if (last) times.push(now - last);
    last = now;
  }
  return times;
}"""
_PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_CANVAS = "#matrix-rank canvas"


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench", description="Reports of large jobs.")
    parser.add_argument("--many", action="store_true", help="of 16,384 ranks, too, and of an all-to-all")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    """Print a line for each profile, with the aims that it missed.

    Raises:
        BenchError: something could not run, or missed its aim.
    """
    options = parse(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name, browsers.browser() as browser:
            missed = _rows(Path(name), browser, many=options.many)
    except pytest.skip.Exception as why:
        raise BenchError(str(why)) from why
    if missed:
        raise BenchError(f"missed: {'; '.join(missed)}")


def _rows(folder: Path, browser: Any, *, many: bool) -> list[str]:
    """Print the lines; return what missed its aim."""
    print(f"{'':26}{'profile':>8}{'report':>9}{'written':>9}{'opened':>9}{'frame: median':>15}{'longest':>9}")
    few, more = folder / "few.rankwise", folder / "many.rankwise"
    missed = _row(f"stencil, {_FEW.ranks:,} ranks", browser, large_profiles.write_stencil(few, _FEW))
    if many:
        missed += _row(f"stencil, {_MANY.ranks:,} ranks", browser, large_profiles.write_stencil(more, _MANY))
        dense = large_profiles.write_dense(folder / "dense.rankwise", _FEW.ranks)
        missed += _row(f"all-to-all, {_FEW.ranks:,} ranks", browser, dense)
    report, opened, frame = _AIMS.values()
    print(f"{'aim':26}{'':8}{report:>6.0f} MB{'':9}{opened:>7.0f} s{frame:>12.0f} ms")
    return missed


def _row(title: str, browser: Any, profile: Path) -> list[str]:
    """Print the line of a profile; return what missed its aim."""
    report = profile.with_suffix(".html")
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "rankwise", "report", str(profile), "-o", str(report)],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BenchError(done.stderr.strip())
    written = time.perf_counter() - start
    opened = []
    for _ in range(_OPENS):
        seconds, page = _opened(browser, report)
        opened.append(seconds)
    times = page.evaluate(_ZOOM, [_CANVAS, _FRAMES])
    page.close()
    sizes = [path.stat().st_size / 1e6 for path in (profile, report)]
    median = statistics.median(times)
    values = zip(_AIMS, (sizes[1], min(opened), median), strict=True)
    over = [what for what, value in values if value >= _AIMS[what]]
    print(
        f"{title:26}{sizes[0]:5.0f} MB{sizes[1]:6.2f} MB{written:7.1f} s{min(opened):7.2f} s{median:12.1f} ms"
        f"{max(times):6.0f} ms{''.join(f'  over: {what}' for what in over)}",
        flush=True,
    )
    return [f"{title} ({what})" for what in over]


def _opened(browser: Any, report: Path) -> tuple[float, Any]:
    """Open a report; return how long it took until it was painted, and the page."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    start = time.perf_counter()
    page.goto(f"{report.as_uri()}#page=matrix")
    page.wait_for_selector(_CANVAS)
    page.evaluate(_PAINTED)
    return time.perf_counter() - start, page
