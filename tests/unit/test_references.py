"""References of loaded objects on kernels with small and large pages (AArch64 has 4, 16 or 64 KiB)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("references.cpp")
READ_ONLY_START, READ_ONLY_END = 65536 + 4096, 131072 + 4096


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("references") / "references"
    subprocess.run(["c++", "-std=c++20", "-o", path, SOURCE], check=True, timeout=120)
    return path


@pytest.mark.parametrize("page", [4096, 16384, 65536])
def test_pages(program: Path, page: int) -> None:
    said = subprocess.run(
        [program, str(page)], capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()
    expected = []
    for offset in (65536 + 4096, 65536 + 20480, 131072, 131072 + 4096):
        start = offset // page * page
        # The loader makes whole pages read-only: of the last one, the rest holds variables.
        if READ_ONLY_START // page * page <= offset < READ_ONLY_END // page * page:
            expected += [f"open {start} {page}", f"close {start} {page}"]
        expected.append(f"{offset} set")
    assert said == [*expected, "refused not set"]
