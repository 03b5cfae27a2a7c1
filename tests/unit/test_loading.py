"""What is loaded when: nobody waits for modules that only others need, or that are needed later."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import profiles
import pytest
from synthetic import small_world, write_world

import rankwise
from rankwise.launch.spare import BesideIdleProcessor, idle_seconds, spare

PACKAGES = Path(rankwise.__file__).parents[1]
OF_OTHERS = {"rich", "numpy", "pyarrow", "cffi", "importlib.metadata", "rankwise.profile.collect.procedures"}
OF_THE_END = {"sqlite3", "rankwise.profile.assemble", "rankwise.render.terminal.summary"}
# Making data classes takes as long as all else before the launch: it needs a parser of Python.
OF_DATA_CLASSES = {"dataclasses", "inspect"}
HEAVY = {"rich", "cffi", "pycparser", "elftools", "numpy.ma", "yaml", "ClusterShell", "scipy", "pandas"}
HEAVY |= {"matplotlib"}
"""What no run needs at its end, at least if nothing is wrong and the program has no debug information."""


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
        # A list shows what profiles keep: it compares no runs, and concludes nothing.
        (
            ["list", "."],
            {"numpy", "rankwise.comparison", "rankwise.analysis.evidence", "rankwise.diagnosis.kept"},
        ),
    ],
    ids=["export", "version", "run", "run of a launcher", "show", "list"],
)
def test_nothing_is_loaded_that_is_not_needed(tmp_path: Path, words: list[str], unwanted: set[str]) -> None:
    profiles.write_profile(tmp_path / "a.rankwise")
    code = f"""
import sys
import time
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


# A launch that leaves the counters of a small job, and what has been loaded when.
_RUN = """
import shutil, sys
from pathlib import Path
import rankwise.launch.job as job
import rankwise.launch.spare as spare_module
from rankwise.__main__ import main
loaded = set()
spare_module.spare = lambda *_: {spare}
def run(words, environment, *_, beside, **__):
    for file in Path("world").iterdir():
        shutil.copy(file, environment["RANKWISE_DIR"])
    for one in beside:
        one.start()
        one.step()
    loaded.update(sys.modules)
    return job.End(0, "")
job.run = run
main(["run", *{options}, "-o", "a.rankwise", "--", "true"])
"""
_OF_OURS_OR_OTHERS = 'name.partition(".")[0] not in sys.stdlib_module_names'


@pytest.mark.parametrize("options", [[], ["-q"]], ids=["summary", "quiet"])
def test_what_the_end_of_a_run_needs_is_loaded_while_a_processor_is_idle(
    tmp_path: Path, options: list[str]
) -> None:
    write_world(tmp_path / "world", small_world())
    code = f"""{_RUN.format(spare=True, options=options)}
print(sorted(name for name in sys.modules.keys() - loaded if {_OF_OURS_OR_OTHERS}))
"""
    assert output_of(code, tmp_path) == "[]\n"
    assert (tmp_path / "a.rankwise").is_file()


def test_nothing_is_loaded_beside_ranks_that_have_all_processors(tmp_path: Path) -> None:
    write_world(tmp_path / "world", small_world())
    code = f"""{_RUN.format(spare=False, options=["-q"])}
print(sorted({OF_OTHERS | OF_THE_END} & loaded))
"""
    assert output_of(code, tmp_path) == "[]\n"
    assert (tmp_path / "a.rankwise").is_file()


@pytest.mark.parametrize(
    ("options", "unwanted"),
    [([], HEAVY - {"rich"}), (["-q"], HEAVY | {"rankwise.views.view"})],
    ids=["summary", "quiet"],
)
def test_a_whole_run_loads_nothing_heavy_that_it_does_not_need(
    tmp_path: Path, options: list[str], unwanted: set[str]
) -> None:
    write_world(tmp_path / "world", small_world())
    code = f"""{_RUN.format(spare=False, options=options)}
print(sorted({unwanted} & set(sys.modules)))
"""
    assert output_of(code, tmp_path) == "[]\n"


def test_a_processor_is_spare_that_had_nothing_to_do() -> None:
    busy = {0: 100.0, 1: 200.0}
    assert not spare(busy, busy, 1.0)
    assert not spare(busy, {0: 100.9, 1: 200.5}, 1.0)
    assert spare(busy, {0: 100.0, 1: 200.98}, 1.0)
    assert not spare(busy, {2: 1000.0}, 1.0)  # it was switched on
    assert not spare({}, {}, 1.0)


def test_it_is_done_once_and_looked_for_ever_more_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([False, False, True])
    monkeypatch.setattr("rankwise.launch.spare.spare", lambda *_: next(answers))
    done: list[int] = []
    beside = BesideIdleProcessor(lambda: done.append(1), 100.0)
    beside.start()
    for seconds in (100, 200, 400):
        assert not done
        assert beside.due is not None
        assert seconds - 50 < beside.due - time.monotonic() <= seconds
        beside.step()
    assert done == [1]
    assert beside.due is None


def test_each_processor_that_is_ours_is_looked_at() -> None:
    assert idle_seconds().keys() == os.sched_getaffinity(0)


def test_libraries_for_linear_algebra_start_no_threads_and_programs_find_no_trace(tmp_path: Path) -> None:
    code = """
import os
from rankwise.__main__ import main
os.environ["OMP_NUM_THREADS"] = "3"
os.environ.pop("OPENBLAS_NUM_THREADS", None)
before = dict(os.environ)
main(["--version"])
import numpy
print(len(os.listdir("/proc/self/task")), dict(os.environ) == before)
print(os.popen("echo $OMP_NUM_THREADS,$OPENBLAS_NUM_THREADS").read())
numpy.ones((300, 300)) @ numpy.ones((300, 300))
print(len(os.listdir("/proc/self/task")))
"""
    assert output_of(code, tmp_path).split("\n")[1:] == ["1 True", "3,", "", "1", ""]


WITHOUT_EXTENSIONS = """
import importlib, pkgutil, sys
for name in sys.argv[1:]:
    sys.modules[name] = None
import rankwise
for module in pkgutil.walk_packages(rankwise.__path__, "rankwise."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""


def test_a_python_that_was_built_without_some_libraries_is_enough(tmp_path: Path) -> None:
    """Every module can be imported there: what needs such a library does without, when it comes to that."""
    left_out = ("_bz2", "bz2", "_lzma", "lzma", "_ssl", "ssl", "_hashlib", "_curses", "readline", "_gdbm")
    words = [sys.executable, "-c", WITHOUT_EXTENSIONS, *left_out]
    environment = os.environ | {"PYTHONPATH": str(PACKAGES)}
    subprocess.run(words, cwd=tmp_path, env=environment, check=True)
