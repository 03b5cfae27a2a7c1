"""Git tracks text, and only the binary files that are listed here: nothing slips in that a command made."""

from __future__ import annotations

import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BINARY_FILES = {
    "docs/figures/*.png": "pictures of the documentation",
    "tests/references/report/*.png": "pictures that pages of the report are compared with",
    "tests/fabrics/*.gz": "files of fabrics, compressed",
    "tests/unit/measurements/*.pairs": "measurements of latency, compressed",
}
"""Patterns of the binary files that are tracked, and what they are for."""


AT_THE_ROOT = {
    *(".clang-format", ".clang-tidy", ".gitattributes", ".gitignore", ".gitlab-ci.yml"),
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"),
    *("CMakeLists.txt", "COMMIT", "Makefile", "mkdocs.yml", "pyproject.toml"),
    *("requirements-dev.txt", "requirements-docs.txt"),
}
"""The files outside of folders: what a command writes into the working directory is none of them."""


def is_binary(content: bytes) -> bool:
    """Whether the content is no text in UTF-8."""
    try:
        return "\0" in content.decode()
    except UnicodeDecodeError:
        return True


def tracked_files() -> list[str]:
    """Return the paths of the tracked files."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("no checkout of git")
    return [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def test_the_root_has_the_files_that_are_listed() -> None:
    assert {name for name in tracked_files() if "/" not in name} == AT_THE_ROOT


def test_tracked_binaries_are_listed() -> None:
    binaries = [name for name in tracked_files() if is_binary((ROOT / name).read_bytes())]
    assert [name for name in binaries if not any(fnmatch(name, each) for each in BINARY_FILES)] == []
    assert [each for each in BINARY_FILES if not any(fnmatch(name, each) for name in binaries)] == []


@pytest.mark.parametrize("content", [b"\x7fELF\x02\x01\x01\0", b"\x89PNG\r\n", b"text\0", b"caf\xe9"])
def test_what_is_binary(content: bytes) -> None:
    assert is_binary(content)
    assert not is_binary("café, 高\n".encode())
