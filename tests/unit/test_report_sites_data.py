"""What a report tells of places that call MPI: names that tell them apart, and why lines are not known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from assembled import made
from made_profile import Made
from paths_made import made_paths
from synthetic import call, loaded_object, small_world

from golden import Golden
from rankwise.analysis.calls.places import Place
from rankwise.analysis.opened import opened_profile
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.render.page.container import Container
from rankwise.render.page.contents.parts.sites import sites_data
from rankwise.render.page.contents.site_names import site_names
from rankwise.render.page.contents.subject import subject

FIRST = CONSTANTS["FIRST_SITE"]


class Plain(Container):
    """Leaves columns as they are."""

    def column(self, numbers: Any, *, ascending: bool = False) -> Any:  # noqa: ARG002
        return np.ravel(np.asarray(numbers)).tolist()


def sites_of(path: Path) -> tuple[list[str], dict[str, Any]]:
    """Return the names of the places of a profile, and what a report tells of them."""
    with opened_profile(path) as connection:
        of = subject(path, connection, Plain())
        return of.axes.data["sites"], sites_data(of)


def place(file: str | None, line: int = 0, function: str | None = None, path: str = "/bin/app") -> Place:
    return Place(path, "app", True, function, file, line, None if file else 16)


def test_names_are_as_short_as_they_can_be() -> None:
    places = [
        Place(),
        place("/a/solve.c", 7),
        place("/a/mesh.c", 7),
        place("/b/mesh.c", 7),
        place("/a/io.h", 3, "read"),
        place("/a/io.h", 3, "write"),
        place("/a/x.h", 3, "run", "/lib/one.so"),
        place("/a/x.h", 3, "run", "/lib/two.so"),
        place(None),
        place(None, path="/opt/app"),
    ]
    assert site_names(places) == [
        "not known",
        "solve.c:7",
        "/a/mesh.c:7",
        "/b/mesh.c:7",
        "/a/io.h:3 in read",
        "/a/io.h:3 in write",
        "/a/x.h:3 in run of /lib/one.so",
        "/a/x.h:3 in run of /lib/two.so",
        "/bin/app+0x10",
        "/opt/app+0x10",
    ]


def test_names_that_become_the_same_by_escapes_are_numbered() -> None:
    names = site_names([place("/a\x1b.c", 1), place("/a\\x1b.c", 1)])
    assert len(set(names)) == 2
    assert all("\x1b" not in name for name in names)


def test_places_of_a_program_and_a_library(tmp_path: Path, golden: Golden) -> None:
    processes = small_world()
    for process in processes:
        process.objects = [loaded_object(b"/home/me/solver", kind=1), loaded_object(b"/usr/lib/libsums.so.3")]
        process.sites = [{"offset": 16, "object": 0}, {"offset": 48, "object": 1}]
        process.calls[0] += [call("MPI_Scan", site=FIRST), call("MPI_Scan", site=FIRST + 1)]
    names, data = sites_of(made(tmp_path, processes).path)
    assert names == ["not known", "solver+0x10", "libsums.so.3+0x30"]
    assert data["missing"] == ""
    libraries = data["libraries"]
    assert [libraries["name"][of] for of in data["libraryOf"]] == ["(not known)", "solver", "libsums"]
    assert [libraries["isProgram"][of] for of in data["libraryOf"]] == [False, True, False]
    assert data["path"] == ["", "/home/me/solver", "/usr/lib/libsums.so.3"]
    assert data["function"] == data["file"] == ["", "", ""]
    golden.says(data["hint"])
    assert "-g" in data["hint"]
    assert "python" not in data["hint"]


def test_lines_that_are_known_of_some(tmp_path: Path, golden: Golden) -> None:
    run = Made()
    run.insert("objects", id=1, path="/x/mpi4py/MPI.so")
    run.insert("sites", id=1, object=1, offset=5, function="f", file="/a/x.pyx", line=3)
    run.insert("sites", id=2, object=1, offset=9)
    path = run.write(tmp_path / "some.rankwise")
    names, data = sites_of(path)
    assert names == ["not known", "x.pyx:3", "MPI.so+0x9"]
    golden.says(data["hint"], "1 .. 2")
    assert "--python-sites" in data["hint"]


def test_without_places(tmp_path: Path) -> None:
    made_run = Made(ranks=2)
    made_run.call(0, "MPI_Barrier", 0.5)
    names, data = sites_of(made_run.write(tmp_path / "none.rankwise"))
    assert names == ["not known"]
    assert "--no-sites" in data["missing"]
    assert "--no-paths" in data["callers"]["missing"]


def test_callers_are_lines_one_below_the_other(tmp_path: Path) -> None:
    names, data = sites_of(made_paths().write(tmp_path / "paths.rankwise"))
    callers = data["callers"]
    assert callers["missing"] == ""
    assert [names[site] for site in callers["site"]] == ["libways.so.1+0x99"]
    lines, functions = callers["lines"], callers["frames"]["function"]
    assert [
        (level, functions[frame] if frame >= 0 else "", round(percent))
        for level, frame, percent in zip(
            lines["level"], lines["frame"], lines["time"]["percent"], strict=True
        )
    ] == [
        (0, "", 100),
        (1, "gather", 100),
        *((2, "solve", 60), (3, "main", 60)),
        *((2, "norm", 30), (3, "main", 30)),
        *((2, "output", 10), (3, "main", 10)),
    ]
    assert lines["samples"] == [100, 100, 60, 60, 30, 30, 10, 10]
    [caller] = callers["caller"]
    assert functions[caller] == "solve"
    [low], [high] = callers["callerTime"]["low"], callers["callerTime"]["high"]
    assert low < 60 < high


def test_names_of_callers_are_text(tmp_path: Path) -> None:
    profile = made_paths()
    profile.connection.execute("UPDATE frames SET function = 'a\x1b[31m', file = '/b\u202e.c'")
    _, data = sites_of(profile.write(tmp_path / "hostile.rankwise"))
    frames = data["callers"]["frames"]
    assert not any("\x1b" in text or "\u202e" in text for text in (*frames["function"], *frames["file"]))
