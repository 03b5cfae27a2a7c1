"""Where communicators were made: what the processes say of it, joined, and the families that come of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from assembled import made, rows
from synthetic import IDS, WORLD, Process, call, loaded_object, small_world, ticks

from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.calls.places import Place
from rankwise.profile.collect.keys import calls_key
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.join.families import Made, of_libraries
from rankwise.profile.join.objects import NAMELESS, Object
from rankwise.profile.join.sites import Site, Sites, with_sources
from rankwise.profile.join.source_lines import Source

FIRST = CONSTANTS["FIRST_SITE"]
PROGRAM = loaded_object(b"/home/me/solver", b"\x01\x02", 1)
LIBRARY = loaded_object(b"/usr/lib/libfftw3_mpi.so.3", b"\xab" * 20)
PARTS = (
    "SELECT name, family, created_in, site FROM communicators WHERE name LIKE 'W!_%' ESCAPE '!' ORDER BY name"
)


def split_in(processes: list[Process], site: int) -> list[Process]:
    """Let the communicators of `small_world` that were split off be made at a site (an index)."""
    for process in processes:
        process.communicators[2]["site"] = site
    return processes


def test_made_by_a_library(tmp_path: Path) -> None:
    processes = split_in(small_world(), FIRST)
    for number, process in enumerate(processes):
        # Each process numbers its own objects and sites.
        process.objects = [LIBRARY, PROGRAM] if number % 2 else [PROGRAM, LIBRARY]
        process.sites = [{"offset": 0x1234, "object": 0 if number % 2 else 1}]
    path = made(tmp_path, processes).path
    assert rows(path, PARTS) == [
        ("W_s1.0", "libfftw3_mpi: W_s1", "libfftw3_mpi.so.3", 1),
        ("W_s1.1", "libfftw3_mpi: W_s1", "libfftw3_mpi.so.3", 1),
    ]
    assert (
        rows(path, "SELECT created_in, site FROM communicators WHERE name IN ('W', 'S.0')")
        == [(None, None)] * 2
    )
    assert rows(path, "SELECT path, build_id, is_program FROM objects ORDER BY path") == [
        ("/home/me/solver", "0102", 1),
        ("/usr/lib/libfftw3_mpi.so.3", "ab" * 20, 0),
    ]
    assert rows(path, "SELECT path, offset FROM sites JOIN objects ON objects.id = object") == [
        ("/usr/lib/libfftw3_mpi.so.3", 0x1234)
    ]


def test_the_lowest_rank_that_knows_speaks_for_all(tmp_path: Path) -> None:
    processes = split_in(small_world(), FIRST)
    processes[0].communicators[2]["site"] = CONSTANTS["SITE_UNKNOWN"]
    for process in processes:
        process.objects, process.sites = [PROGRAM], [{"offset": 16, "object": 0}]
    processes[3].objects = [LIBRARY]
    path = made(tmp_path, processes).path
    # Members are 0 and 2, 1 and 3.
    assert [row[1:3] for row in rows(path, PARTS)] == [("W_s1", "solver"), ("W_s1", "solver")]


def test_calls_by_site(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    processes = small_world()
    for number, process in enumerate(processes):
        process.objects = [LIBRARY, PROGRAM] if number % 2 else [PROGRAM, LIBRARY]
        process.sites = [{"offset": 16, "object": 0}, {"offset": 48, "object": 1}]
        process.calls[0] += [
            call("MPI_Scan", calls=2, seconds=0.25, site=FIRST),
            call("MPI_Scan", calls=3, seconds=0.5, site=FIRST + 1),
            call("MPI_Scan", calls=5, seconds=1.0, site=FIRST + 2),  # has no record
            call("MPI_Scan", calls=7, seconds=2.0),
        ]
    processes[3].threads[0] |= {
        "inside_key": calls_key(0, WORLD, IDS["MPI_Scan"], 0, FIRST + 1),
        "inside_since": ticks(2),
    }
    processes[3].header["state"] = CONSTANTS["STATE_RUNNING"]
    path = made(tmp_path, processes).path
    query = (
        "SELECT rank, path, offset, SUM(calls.calls), SUM(unfinished) FROM calls"
        " JOIN procedures ON procedures.id = procedure LEFT JOIN sites ON sites.id = site"
        " LEFT JOIN objects ON objects.id = object WHERE name = 'MPI_Scan' AND rank IN (0, 3)"
        " GROUP BY rank, site ORDER BY rank, SUM(calls.calls)"
    )
    assert rows(path, query) == [
        (0, "/home/me/solver", 16, 2, 0),
        (0, "/usr/lib/libfftw3_mpi.so.3", 48, 3, 0),
        (0, None, None, 12, 0),
        (3, "/usr/lib/libfftw3_mpi.so.3", 16, 2, 0),
        (3, "/home/me/solver", 48, 3, 1),
        (3, None, None, 12, 0),
    ]
    assert main(["show", str(path), "--by", "library", "--json"]) == 0
    libraries = json.loads(capsys.readouterr().out)["libraries"]
    counts = {row["library"]: (row["calls"], row["sites"]) for row in libraries if row["library"]}
    assert counts == {"solver": (2 * 2 + 2 * 3, 2), "libfftw3_mpi": (2 * 2 + 2 * 3, 2)}
    assert main(["show", str(path), "--by", "site", "--call", "Scan", "--rank", "0"]) == 0
    text = capsys.readouterr().out
    golden.says(text.splitlines()[0], "Scan")
    for words in ("solver+0x10 ", "libfftw3_mpi.so.3+0x30 ", "(not known) "):
        assert words in text
    # What doesn't ask for sites sees the same as ever.
    sums = "SELECT SUM(calls), MIN(ranks) FROM communicator_sums JOIN procedures ON procedures.id = procedure"
    assert rows(path, f"{sums} WHERE name = 'MPI_Scan'") == [(4 * 17, 4)]
    [(seconds, ranks, most)] = rows(
        path,
        "SELECT seconds, ranks, most_rank FROM procedure_spreads JOIN procedures ON procedures.id = procedure"
        " WHERE name = 'MPI_Scan'",
    )
    assert (ranks, most) == (4, 3)
    assert isinstance(seconds, float)
    assert seconds > 4 * 3.75


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_long_names_are_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    processes = small_world()
    for process in processes:
        process.objects = [loaded_object(b"/home/me/" + b"generated_program_" * 7, kind=1)]
        process.sites = [{"offset": 16, "object": 0}]
        process.calls[0].append(call("MPI_Scan", calls=2, seconds=0.25, site=FIRST))
    path = made(tmp_path, processes).path
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["show", str(path), "--by", "site", "--call", "Scan", "-v"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    heads = [line.split() for line in lines if line.startswith("site ")]
    assert all(head[1] == "call" for head in heads)
    assert len(heads) < 9


@pytest.mark.parametrize(
    "sites",
    [[], [{"offset": 16, "object": 7}], [{"offset": 1 << 63, "object": 0}]],
    ids=["none", "object", "offset"],
)
def test_damaged_records_are_unknown(tmp_path: Path, sites: list[dict[str, int]]) -> None:
    processes = split_in(small_world(), FIRST)
    for process in processes:
        process.objects, process.sites = [LIBRARY], sites
    assert [row[1:] for row in rows(made(tmp_path, processes).path, PARTS)] == [("W_s1", None, None)] * 2


@pytest.mark.parametrize(
    ("path", "is_program", "library"),
    [
        ("/usr/lib/libfftw3_mpi.so.3", 0, "libfftw3_mpi"),
        ("/usr/lib/libscalapack-openmpi.so.2.2", 0, "libscalapack"),
        ("/opt/petsc/lib/libpetsc_real.so.3.18", 0, "libpetsc_real"),
        ("/usr/lib/libHYPRE-2.26.0.so", 0, "libHYPRE-2.26.0"),
        ("/lib/petsc4py/PETSc.cpython-311-x86_64-linux-gnu.so", 0, "PETSc"),
        ("/lib/a/solver.abi3.so", 0, "solver"),
        ("/lib/odd, name: 1.so", 0, "odd--name--1"),
        ("/home/me/solver", 1, ""),
        # Bindings: what calls MPI there is the program.
        ("/lib/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so", 0, ""),
        ("/lib/R/Rmpi/libs/Rmpi.so", 0, ""),
        ("/usr/lib/libboost_mpi.so.1.74.0", 0, ""),
    ],
)
def test_names_of_libraries(path: str, is_program: int, library: str) -> None:
    assert Object(1, path, "", is_program).library == library


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/home/me/solver.py", "solver.py"),
        ("/usr/lib/python3/dist-packages/dolfinx/fem/function.py", "dolfinx"),
        ("/v/lib/python3.11/site-packages/single.py", "single"),
        ("<stdin>", "<stdin>"),
        ("", "<unknown>"),
    ],
)
def test_names_of_files_of_python(path: str, shown: str) -> None:
    file = Object(1, path, "", 0, 1)
    assert (file.library, file.shown) == ("", shown)


@pytest.mark.parametrize(("changed_ns", "function"), [(0, "step"), (1 << 62, None)])
def test_lines_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed_ns: int, function: str | None
) -> None:
    monkeypatch.setattr("rankwise.profile.join.python_functions.changed_ns", lambda _: changed_ns)
    source = tmp_path / "solver.py"
    source.write_text("def step():\n    pass\n", encoding="utf-8")
    processes = split_in(small_world(), FIRST)
    for process in processes:
        process.objects = [loaded_object(str(source).encode(), kind=CONSTANTS["OBJECT_PYTHON"])]
        process.sites = [{"offset": 2, "object": 0}]
    path = made(tmp_path, processes).path
    assert rows(path, "SELECT path, is_program, is_python FROM objects") == [(str(source), 0, 1)]
    assert rows(path, "SELECT offset, function, file, line FROM sites") == [(2, function, str(source), 2)]
    # The program's own, whatever language it is in.
    assert rows(path, PARTS) == [
        ("W_s1.0", "W_s1", "solver.py", 1),
        ("W_s1.1", "W_s1", "solver.py", 1),
    ]


@pytest.mark.parametrize("file", ["", "made/"])
def test_a_file_of_python_without_a_name(file: str) -> None:
    assert Place(file, NAMELESS, file=file, line=1).name == "<unknown>:1"


def test_a_path_that_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankwise.profile.join.python_functions.changed_ns", lambda _: 0)
    folders = [os.fsencode(tmp_path) + name for name in (b"/\xff\x1b", b"/\xfe\x1b")]
    processes = split_in(small_world(), FIRST)
    for number, folder in enumerate(folders):
        Path(os.fsdecode(folder)).mkdir()
        Path(os.fsdecode(folder), "solver.py").write_text(
            f"def step_{number}():\n    pass\n", encoding="utf-8"
        )
    for process in processes:
        process.objects = [
            loaded_object(folder + b"/solver.py", kind=CONSTANTS["OBJECT_PYTHON"]) for folder in folders
        ]
        process.sites = [{"offset": 2, "object": 0}, {"offset": 2, "object": 1}]
    path = made(tmp_path, processes).path
    shown = f"{tmp_path}/\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}/solver.py"
    assert rows(path, "SELECT function, file FROM sites ORDER BY id") == [
        ("step_0", shown),
        ("step_1", shown),
    ]


def test_a_relative_path_needs_a_build_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program may have left the directory before it opened the library."""
    monkeypatch.setattr(
        "rankwise.profile.join.sites.sources", lambda path, *_: [Source(path.relative_to(tmp_path).name)]
    )
    objects = [
        Object(1, "./plug.so", "", 0),
        Object(2, "./known.so", "0102", 0),
        Object(3, f"{tmp_path}/plug.so", "", 0),
    ]
    sites = [Site(number, number, 8) for number in (1, 2, 3)]
    files = [library.path for library in objects]
    result = with_sources(Sites(objects, sites, {}, files), str(tmp_path), 0)
    assert [row.function for row in result.rows] == [None, "known.so", "plug.so"]


def test_many_families_of_one_library_are_one() -> None:
    made_by = {1: Made(0, "W", ""), 2: Made(1, "W_s1", "")}
    made_by |= {number: Made(1, f"W_d{number}", "libone") for number in range(10, 14)}  # few
    made_by |= {number: Made(number - 1, f"W_s1_d{number}", "libtwo") for number in range(21, 26)}
    made_by[20] = Made(2, "W_s1_d20", "libtwo")
    made_by[30] = Made(25, "W_s1_d25_d1", "")  # the program's, of what a library has made
    made_by[31] = Made(23, "W_s1_d23_d1", "libone")  # of what another library has made of the program's
    made_by[40] = Made(0, "x3", "libone")  # without a parent
    families = of_libraries(made_by)
    assert [families[number] for number in (1, 2, 30)] == ["W", "W_s1", "W_s1_d25_d1"]
    assert [families[number] for number in range(10, 14)] == [f"libone: W_d{n}" for n in range(10, 14)]
    assert {families[number] for number in range(20, 26)} == {"libtwo: W_s1_*"}
    assert families[31] == "libone: W_s1_d23_d1"
    assert families[40] == "libone: x3"


def test_a_communicator_that_descends_from_itself() -> None:
    assert of_libraries({1: Made(2, "?_d1", "libone"), 2: Made(1, "?_d2", "libone")}) == {
        1: "libone: ?_d1",
        2: "libone: ?_d2",
    }


def test_what_is_shown_can_be_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    processes = split_in(small_world(), FIRST)
    for process in processes:
        process.objects, process.sites = [LIBRARY], [{"offset": 16, "object": 0}]
    path = made(tmp_path, processes).path

    def sent(*words: str) -> int:
        assert main(["show", str(path), "--by", "communicator", "--json", *words]) == 0
        return sum(row["bytes_sent"] for row in json.loads(capsys.readouterr().out)["communicators"])

    for name in (
        "libfftw3_mpi",
        "libfftw3_mpi: W_s1",
        "W_s1.0,W_s1.1",
        "libfftw3_mpi: W_s1.0,libfftw3_mpi: W_s1.1",
    ):
        assert sent("--communicator", name) == 4 * 80
    assert sent("--communicator", "libfftw3_mpi: W_s1.0") == 2 * 80
    assert main(["show", str(path), "--by", "communicator", "-v"]) == 0
    assert "libfftw3_mpi.so.3" in capsys.readouterr().out
