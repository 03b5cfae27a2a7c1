"""Programs that are linked with the placement engine: by flags, pkg-config and CMake, as documented."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rankwise.__main__ import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "placement.md"
LIMIT_SECONDS = 120
TOGETHER = [{0, 2}, {1, 3}]
Printed = Callable[[str], str]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """What `rankwise link-flags OPTION` prints."""

    def printed_(option: str) -> str:
        assert main(["link-flags", option]) == 0
        return capsys.readouterr().out.strip()

    return printed_


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The example of the page."""
    [text] = re.findall(r"```c\n(.*?)```", PAGE.read_text(), re.DOTALL)
    path = tmp_path / "place.c"
    path.write_text(text)
    return path


def run(*words: str | Path, **variables: str) -> str:
    environment = {**os.environ, **variables}
    command = [str(word) for word in words]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=environment
    ).stdout


def assert_places(program: Path) -> None:
    """Pairs that exchange messages share a node, so nothing is between nodes."""
    said = run(program)
    slots = {int(rank): int(slot) for rank, slot in re.findall(r"rank (\d): slot (\d)", said)}
    nodes = {rank: slot // 2 for rank, slot in slots.items()}
    assert [{rank for rank in nodes if nodes[rank] == nodes[first]} for first in (0, 1)] == TOGETHER
    assert re.findall(r"\d+", said.splitlines()[-1]) == ["0", "200"]  # the costs, found and without a search


def test_by_flags(source: Path, printed: Printed, tmp_path: Path) -> None:
    program = tmp_path / "place"
    run("cc", "-Wall", "-Werror", "-o", program, source, *printed("--placement").split())
    assert_places(program)


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="no pkg-config (apt-get install pkg-config)")
def test_by_pkg_config(source: Path, printed: Printed, tmp_path: Path) -> None:
    folder = f"{printed('--root')}/lib/pkgconfig"
    flags = run("pkg-config", "--cflags", "--libs", "rankwise-placement", PKG_CONFIG_PATH=folder)
    program = tmp_path / "place"
    run("cc", "-o", program, source, *flags.split())
    assert_places(program)
    both = run("pkg-config", "--libs", "rankwise-monitoring", PKG_CONFIG_PATH=folder)
    assert "-lrankwise_monitoring" in both


def test_by_cmake(source: Path, printed: Printed, tmp_path: Path) -> None:
    cmake = shutil.which("cmake") or str(ROOT / "build" / "tools" / "bin" / "cmake")
    if not Path(cmake).exists():
        pytest.skip("no CMake (apt-get install cmake)")
    lines = ["cmake_minimum_required(VERSION 3.18)", "project(example LANGUAGES C)"]
    lines += ["find_package(rankwise 0.1 REQUIRED)", f"add_executable(place {source.name})"]
    lines += ["target_link_libraries(place rankwise::placement)"]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lines))
    build = tmp_path / "build"
    run(
        cmake,
        "-S",
        tmp_path,
        "-B",
        build,
        "-G",
        "Unix Makefiles",
        f"-DCMAKE_PREFIX_PATH={printed('--root')}",
    )
    run(cmake, "--build", build)
    assert_places(build / "place")
