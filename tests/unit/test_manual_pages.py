"""The manual pages: one for each verb, and what the formatter says of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rankwise.__main__ import VERBS, parsers

MANUAL = Path(__file__).parents[2] / "share" / "man"
PAGES = sorted((MANUAL / "man1").iterdir())


def test_every_verb_has_a_page() -> None:
    names = ["rankwise", *("-".join(["rankwise", *name.split()]) for name in parsers())]
    assert [page.name for page in PAGES] == sorted(f"{name}.1" for name in names)


def test_a_page_has_every_option() -> None:
    for name, parser in parsers().items():
        text = (MANUAL / "man1" / f"rankwise-{name.replace(' ', '-')}.1").read_text().replace("\\-", "-")
        assert all(
            rf"\fB{option}\fR" in text for action in parser._actions for option in action.option_strings
        )


def test_the_formatter_has_nothing_to_say() -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("no groff")
    done = subprocess.run(
        [groff, "-man", "-Tutf8", "-ww", "-z", *PAGES], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_man_finds_and_shows_them() -> None:
    man = shutil.which("man")
    if man is None or shutil.which("groff") is None:
        pytest.skip("no man")
    asked = os.environ | {"MANPATH": str(MANUAL), "MANWIDTH": "100", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"}
    for name in ("rankwise", *(f"rankwise-{verb}" for verb in VERBS)):
        done = subprocess.run([man, name], env=asked, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"{name.upper()}(1)")
    shown = subprocess.run(
        [man, "rankwise-map"], env=asked, capture_output=True, text=True, timeout=60
    ).stdout
    assert "  rankwise map verify F.rankwise -o placement -- mpirun -n 8 ./app\n" in shown
