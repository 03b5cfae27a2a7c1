"""Reports of large jobs stay small, whole, and can be opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import large_profiles
import pytest
from browsers import Tab
from large_profiles import BLOCK, STEPS, Grid

from exhaustive import few
from rankwise.__main__ import main
from rankwise.text.units import byte_text

_MOST_BYTES = 5_000_000


def reported(profile: Path, folder: Path) -> Path:
    path = folder / "report.html"
    assert main(["report", str(profile), "-o", str(path)]) == 0
    assert path.stat().st_size < _MOST_BYTES
    return path


def sum_of(tab: Tab, ends: str) -> str:
    tab.page.wait_for_selector(f"#matrix-{ends} canvas")
    return str(tab.page.locator(f"#matrix-{ends} .caption:not(.use)").text_content())


@pytest.mark.parametrize("grid", few([Grid(8, 8, 16), Grid(16, 16, 16), Grid(32, 32, 16)], 1))
def test_stencil(browser: Any, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, grid: Grid) -> None:
    report = reported(large_profiles.kept_stencil(tmp_path_factory, grid), tmp_path)
    tab = Tab(browser, report)
    tab.page.goto(f"{report.as_uri()}#page=matrix&matrix-kind=point-to-point")
    for ends in ("rank", "node"):
        assert f"In total {byte_text(grid.halo_bytes)} in " in sum_of(tab, ends)
    tab.close()


@pytest.mark.exhaustive
@pytest.mark.timeout(600)  # 16 million pairs
def test_all_to_all(browser: Any, tmp_path: Path) -> None:
    report = reported(large_profiles.write_dense(tmp_path / "dense.rankwise", 4096), tmp_path)
    tab = Tab(browser, report)
    tab.page.goto(f"{report.as_uri()}#page=matrix")
    for ends in ("rank", "node"):
        assert f"In total {byte_text(4096 * 4096 * STEPS * BLOCK)} in " in sum_of(tab, ends)
    tab.close()
