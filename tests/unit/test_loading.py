"""What is loaded when: nobody waits for modules that only others need, or that are needed later."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import profiles
import pytest
from synthetic import small_world, write_world

import rankwise

PACKAGES = Path(rankwise.__file__).parents[1]
OF_OTHERS = {"rich", "numpy", "pyarrow", "cffi", "importlib.metadata", "rankwise.profile.collect.procedures"}
OF_THE_END = {"sqlite3", "rankwise.profile.assemble", "rankwise.render.terminal.summary"}
# Making data classes takes as long as all else before the launch: it needs a parser of Python.
OF_DATA_CLASSES = {"dataclasses", "inspect"}


def output_of(code: str, directory: Path) -> str:
    """Run Python code in a process of its own; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(PACKAGES)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize(
    ("words", "unwanted"),
    [
        (["export", "--help"], OF_OTHERS),
        (["--version"], OF_OTHERS),
        (["run", "--", "env", "sh", "-c", ":"], OF_OTHERS | OF_THE_END | OF_DATA_CLASSES),
        (["run", "--", "mpirun", "-n", "1", "sh"], OF_OTHERS | OF_THE_END | OF_DATA_CLASSES),
        # What makes a profile is not needed to show it.
        (["show", "a.rankwise"], {"numpy", "cffi", "rankwise.profile.collect.layout"}),
    ],
    ids=["export", "version", "run", "run of a launcher", "show"],
)
def test_nothing_is_loaded_that_is_not_needed(tmp_path: Path, words: list[str], unwanted: set[str]) -> None:
    profiles.write_profile(tmp_path / "a.rankwise")
    code = f"""
import sys
from contextlib import suppress
import rankwise.launch.job as job
import rankwise.profile.collect.node_memory as node_memory
from rankwise.__main__ import main
job.run = lambda *_, **__: 1 / 0  # the launch
node_memory.of_user = lambda: iter(())  # no job has left anything here
with suppress(ZeroDivisionError):
    main({words})
print()
print(sorted({unwanted} & set(sys.modules)))
"""
    assert output_of(code, tmp_path).splitlines()[-1] == "[]"


def test_what_the_end_of_a_run_needs_is_loaded_beside_the_program(tmp_path: Path) -> None:
    write_world(tmp_path / "world", small_world())
    code = """
import shutil, sys
from pathlib import Path
import rankwise.launch.job as job
from rankwise.__main__ import main
loaded = set()
def run(words, environment, *_, meanwhile, **__):
    for file in Path("world").iterdir():
        shutil.copy(file, environment["RANKWISE_DIR"])
    meanwhile()
    loaded.update(sys.modules)
    return job.End(0, "")
job.run = run
main(["run", "-o", "a.rankwise", "--", "true"])
late = sys.modules.keys() - loaded
print(sorted(name for name in late if name.partition(".")[0] not in sys.stdlib_module_names))
"""
    assert output_of(code, tmp_path) == "[]\n"
    assert (tmp_path / "a.rankwise").is_file()
