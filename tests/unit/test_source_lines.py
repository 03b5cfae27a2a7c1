"""From addresses to functions, files and lines: programs of every kind, which tell their own addresses."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rankwise.profile.join.source_lines import UNKNOWN, Source, sources

PROGRAM = r"""#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
static unsigned long base;
static int set_base(struct dl_phdr_info *info, size_t bytes, void *data) {
  base = info->dlpi_addr;
  return 1;
}
__attribute__((noinline)) void here(void) {
  printf("%lu\n", (unsigned long)__builtin_return_address(0) - base);
}
#ifdef __cplusplus
namespace solver {
template <class T>
struct Grid {
  __attribute__((noinline)) void step(T) { here(); /* step */ }
};
}
#endif
static inline __attribute__((always_inline)) void inlined(void) {
  here(); /* inlined */
}
__attribute__((noinline)) static void work(void) {
  here(); /* work */
  inlined();
  __asm__ volatile("");
}
int main(void) {
  dl_iterate_phdr(set_base, 0);
  work();
  here(); /* main */
#ifdef __cplusplus
  solver::Grid<double>().step(1);
#endif
  fflush(stdout);
  return 0;
}
"""


def line_of(comment: str) -> int:
    return PROGRAM.partition(f"/* {comment} */")[0].count("\n") + 1


def build_id_of(path: Path) -> str:
    words = ["readelf", "-n", str(path)]
    text = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout
    return " ".join(text.partition("Build ID: ")[2].split()[:1])


def built(folder: Path, *options: str, suffix: str = "c") -> tuple[Path, str, list[int]]:
    """The program, its build id, and the addresses of its calls of here()."""
    compiler = shutil.which("c++" if suffix == "cpp" else "cc")
    if compiler is None:
        pytest.skip("there is no compiler")
    source = folder / f"program.{suffix}"
    source.write_text(PROGRAM, encoding="utf-8")
    program = folder / "program"
    words = [compiler, "-Wl,--build-id", *options, "-o", str(program), str(source)]
    subprocess.run(words, check=True, cwd=folder, timeout=60, capture_output=True)
    answer = subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=60)
    return program, build_id_of(program), [int(word) - 1 for word in answer.stdout.split()]


NOW = 1 << 62  # nanoseconds: whatever is changed is changed before


def soon() -> float:
    return time.monotonic() + 60


@pytest.mark.parametrize(("option", "loaded"), [("-g0", False), ("-g", True)])
def test_the_reader_of_lines_is_loaded_only_for_files_that_have_some(
    tmp_path: Path, option: str, loaded: bool
) -> None:
    program, build_id, addresses = built(tmp_path, option)
    code = f"""
import sys
from pathlib import Path
from rankwise.profile.join.source_lines import sources
print([one.function for one in sources(Path({str(program)!r}), {build_id!r}, {addresses}, {soon()}, {NOW})])
print("elftools" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines() == ["['work', 'work', 'main']", str(loaded)]


@pytest.mark.parametrize(
    "options",
    [
        ("-g",),
        ("-g", "-O2"),
        ("-g", "-gdwarf-4"),
        ("-g", "-gdwarf-4", "-O2", "-ffunction-sections"),
        ("-g", "-gdwarf-3"),
        ("-g", "-gz"),
        ("-g", "-gsplit-dwarf"),
        ("-g", "-gsplit-dwarf", "-gdwarf-4"),
        ("-g", "-no-pie"),
        ("-g", "-gno-as-loc-support"),
    ],
    ids=" ".join,
)
def test_debug_information(tmp_path: Path, options: tuple[str, ...]) -> None:
    program, build_id, addresses = built(tmp_path, *options)
    file = str(tmp_path / "program.c")
    assert sources(program, build_id, addresses, soon(), NOW) == [
        Source("work", file, line_of("work")),
        Source("work", file, line_of("inlined")),
        Source("main", file, line_of("main")),
    ]


def test_names_of_c_plus_plus(tmp_path: Path) -> None:
    program, build_id, addresses = built(tmp_path, "-g", "-gdwarf-5", suffix="cpp")
    frames = sources(program, build_id, addresses, soon(), NOW)
    assert [frame.function for frame in frames] == ["work", "work", "main", "solver::Grid<double>::step"]
    assert frames[-1].line == line_of("step")


def test_without_debug_information(tmp_path: Path) -> None:
    program, build_id, addresses = built(tmp_path)
    expected = [Source("work"), Source("work"), Source("main")]
    assert sources(program, build_id, addresses, soon(), NOW) == expected
    subprocess.run(["strip", str(program)], check=True, timeout=60)
    assert sources(program, build_id, addresses, soon(), NOW) == [UNKNOWN] * 3


@pytest.mark.parametrize("folder", ["", ".debug"])
def test_debug_information_beside_the_program(tmp_path: Path, folder: str) -> None:
    program, build_id, addresses = built(tmp_path, "-g")
    whole = sources(program, build_id, addresses, soon(), NOW)
    beside = tmp_path / folder / "program.debug"
    beside.parent.mkdir(exist_ok=True)
    for words in (
        ["objcopy", "--only-keep-debug", str(program), str(beside)],
        ["strip", str(program)],
        ["objcopy", f"--add-gnu-debuglink={beside}", str(program)],
    ):
        subprocess.run(words, check=True, timeout=60)
    assert whole[0].line == line_of("work")
    assert sources(program, build_id, addresses, soon(), NOW) == whole


@pytest.mark.parametrize("option", ["-Wl,--build-id", "-Wl,--build-id=none"])
def test_debug_information_of_another_program(tmp_path: Path, option: str) -> None:
    program, build_id, addresses = built(tmp_path, "-g", option)
    beside = tmp_path / "program.debug"
    for words in (
        ["objcopy", "--only-keep-debug", str(program), str(beside)],
        ["strip", str(program)],
        ["objcopy", f"--add-gnu-debuglink={beside}", str(program)],
    ):
        subprocess.run(words, check=True, timeout=60)
    assert sources(program, build_id, addresses, soon(), NOW)[0].line == line_of("work")
    (tmp_path / "other").mkdir()
    other, *_ = built(tmp_path / "other", "-g", "-O2", option)
    subprocess.run(["objcopy", "--only-keep-debug", str(other), str(beside)], check=True, timeout=60)
    assert sources(program, build_id, addresses, soon(), NOW) == [UNKNOWN] * 3


def test_changed_since_it_ran(tmp_path: Path) -> None:
    """The build id tells which file it is; where there is none, when it was changed."""
    program, build_id, addresses = built(tmp_path, "-g")
    assert sources(program, build_id, addresses, soon(), 0)[0].function == "work"
    program, build_id, addresses = built(tmp_path, "-g", "-Wl,--build-id=none")
    assert build_id == ""
    assert sources(program, build_id, addresses, soon(), time.time_ns())[0].function == "work"
    assert sources(program, build_id, addresses, soon(), 0) == [UNKNOWN] * 3
    os.utime(program, (1, 1))  # as `cp -p` and `mv` leave it
    assert sources(program, build_id, addresses, soon(), 2_000_000_000) == [UNKNOWN] * 3


def test_no_time_is_left(tmp_path: Path) -> None:
    program, build_id, addresses = built(tmp_path, "-g")
    frames = sources(program, build_id, addresses, time.monotonic() - 1, NOW)
    assert frames == [Source("work"), Source("work"), Source("main")]


def test_what_is_not_the_program(tmp_path: Path) -> None:
    program, build_id, addresses = built(tmp_path, "-g")
    assert sources(program, "00" * 20, addresses, soon(), NOW) == [UNKNOWN] * 3
    assert sources(tmp_path / "gone", build_id, addresses, soon(), NOW) == [UNKNOWN] * 3
    assert sources(tmp_path, build_id, addresses, soon(), NOW) == [UNKNOWN] * 3
    assert sources(program, build_id, [0, 1 << 62, (1 << 63) - 1], soon(), NOW) == [UNKNOWN] * 3


@pytest.mark.parametrize("build_id", ["", "00" * 20])
def test_a_pipe_in_its_place(tmp_path: Path, build_id: str) -> None:
    os.mkfifo(tmp_path / "program")
    assert sources(tmp_path / "program", build_id, [1], soon(), NOW) == [UNKNOWN]
    assert sources(Path("/dev/zero"), build_id, [1], soon(), NOW) == [UNKNOWN]


def test_damaged_files(tmp_path: Path) -> None:
    """Whatever is wrong with the file: no exception, and what is told is not made up."""
    program, build_id, addresses = built(tmp_path, "-g")
    whole = program.read_bytes()
    known = {"work", "main", "here", None}
    for place in range(0, len(whole), len(whole) // 60):
        damaged = bytearray(whole)
        damaged[place : place + 64] = b"\xff" * len(damaged[place : place + 64])
        program.write_bytes(damaged)
        for source in sources(program, build_id, addresses, time.monotonic() + 1, NOW):
            assert source.function is None or isinstance(source.function, str)
            if source.function in known and source.line is not None:
                assert source.line > 0
        program.write_bytes(whole[:place])
        assert len(sources(program, build_id, addresses, time.monotonic() + 1, NOW)) == 3
