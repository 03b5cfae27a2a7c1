"""docs/develop/architecture.md is true: no folder uses another than it may, and what it names is there."""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest
from syntax_trees import parsed
from test_docs import in_code, page, sections, table

ROOT = Path(__file__).parents[2]
PAGE = "architecture.md"
OF_EXAMPLES = {
    "python/rankwise/findings/rules/NAME.py",
    "tests/unit/test_NAME.py",
    "python/rankwise/findings/rules/barriers.py",
    "tests/unit/test_barriers.py",
    "python/rankwise/views/by/NAME.py",
    "tests/unit/test_NAME_view.py",
    "python/rankwise/views/by/memory.py",
    "tests/unit/test_memory_view.py",
    "python/rankwise/network/sources/formats/NAME.py",
    "python/rankwise/network/sources/formats/exalinks.py",
    "tests/unit/test_exalinks.py",
    "src/runtime/hooks/mpich/NAME.cpp",
    "src/runtime/hooks/mpich/exa.cpp",
    "python/rankwise/render/page/contents/parts/NAME.py",
    "python/rankwise/render/page/contents/parts/memory.py",
    "tests/unit/test_NAME_data.py",
    "tests/unit/test_memory_data.py",
    "python/rankwise/launchers/known/exrun.py",
    "tests/unit/test_exrun.py",
    "python/rankwise/tuning/libraries/exa.py",
    "tests/unit/test_exa.py",
    "tests/mpi/programs/packing.c",
    "tests/mpi/test_packing.py",
}
"""Files that pages tell how to make."""


@dataclass(frozen=True)
class Use:
    """A file of one folder that uses something of another one."""

    file: str
    line: int
    user: str
    used: str


class House:
    """The folders of a table of the page, from the bottom to the top, and those that each may use."""

    def __init__(self, section: str) -> None:
        rows = table(sections(PAGE)[section])
        self.folders = [in_code(folder)[0] for folder, *_ in rows]
        self.allowed = {
            in_code(folder)[0]: set(self.folders[:place]) if uses == "all" else set(in_code(uses))
            for place, (folder, _, uses) in enumerate(rows)
        }
        self.lists = [folder for folder, (*_, uses) in zip(self.folders, rows, strict=True) if uses != "all"]

    def folder(self, path: str) -> str | None:
        """The smallest folder that a path without its suffix is in."""
        return max((r for r in self.folders if f"{path}/".startswith(f"{r}/")), key=len, default=None)

    def wrong(self, uses: list[Use]) -> list[str]:
        """A line for each arrow that is not allowed."""
        return [
            f"{use.file}:{use.line}: no arrow may go from {use.user} to {use.used} (docs/{PAGE})"
            for use in uses
            if use.used != use.user and use.used not in self.allowed[use.user]
        ]


def imported(tree: ast.AST, file: str) -> Iterator[tuple[int, str]]:
    """Lines of a module that import something of Rankwise, and what."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: a relative import"
            for name in node.names:
                yield node.lineno, f"{node.module}.{name.name}"
        elif isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name


def python_uses(house: House, root: Path) -> list[Use]:
    uses = []
    for file in sorted(root.rglob("*.py")):
        relative = file.relative_to(root).with_suffix("").as_posix()
        user = house.folder(relative)
        for line, module in imported(parsed(file), relative):
            package, *rest = module.split(".")
            if package != "rankwise" or not rest:  # (the package itself tells where its files are)
                continue
            assert user, f"{relative}: in no folder of docs/{PAGE}"
            used = house.folder("/".join(rest))
            assert used, f"{relative}:{line}: {module} is in no folder of docs/{PAGE}"
            uses.append(Use(f"{relative}.py", line, user, used))
    return uses


def included(file: Path) -> Iterator[tuple[int, str, Path]]:
    """Lines of a file that include another one: as it is written there, and where that would be."""
    for line, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if match := re.match(r'\s*#\s*include\s+"([^"]+)"', text):
            yield line, match[1], Path(os.path.normpath(file.parent / match[1]))


def c_files(root: Path) -> list[Path]:
    return [file for file in sorted(root.rglob("*")) if file.suffix in (".c", ".cpp", ".h", ".S", ".inc")]


def c_uses(house: House, root: Path) -> list[Use]:
    uses = []
    for file in c_files(root):
        relative = file.relative_to(root).as_posix()
        user = house.folder(relative)
        assert user, f"{relative}: in no folder of docs/{PAGE}"
        for line, name, place in included(file):
            used = house.folder(place.relative_to(root).as_posix()) if place.is_file() else "include"
            assert used, f"{relative}:{line}: {name} is in no folder of docs/{PAGE}"
            uses.append(Use(relative, line, user, used))
    return uses


def python_arrows(root: Path) -> dict[str, set[str]]:
    """The modules below a package's directory, and those that each imports; also for types alone.

    What a reader must know first to understand a module doesn't depend on whether it is loaded, too. The
    package itself, which only tells programs and `_files` where all else is, does not count.
    """
    names = {}
    for file in root.rglob("*.py"):
        parts = file.relative_to(root).with_suffix("").parts
        names[".".join(["rankwise", *(part for part in parts if part != "__init__")])] = file
    return {
        name: {
            module
            for _, what in imported(parsed(file), name)
            for module in [what if what in names else what.rpartition(".")[0]]
            if module in names and module not in ("rankwise", name)
        }
        for name, file in names.items()
    }


def c_arrows(root: Path) -> dict[str, set[str]]:
    """The files below a directory, and those there that each includes."""
    return {
        file.relative_to(root).as_posix(): {
            place.relative_to(root).as_posix() for *_, place in included(file) if place.is_file()
        }
        for file in c_files(root)
    }


def circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """A circle of the arrows, its first one again at the end; empty if there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


PYTHON, C = House("Python"), House("C and C++")
HALVES = pytest.mark.parametrize("house", [PYTHON, C], ids=["python", "c"])


@cache
def uses_in(house: House) -> list[Use]:
    """What the files of a house use: read for the tests of it, and not when tests are collected."""
    if house is PYTHON:
        return python_uses(PYTHON, ROOT / "python/rankwise")
    return c_uses(C, ROOT / "src")


@HALVES
def test_no_arrow_but_those_of_the_page(house: House) -> None:
    uses = uses_in(house)
    assert uses
    wrong = house.wrong(uses)
    assert not wrong, "\n" + "\n".join(wrong)


@HALVES
def test_no_arrow_that_nobody_needs(house: House) -> None:
    needed = {(use.user, use.used) for use in uses_in(house)}
    idle = [f"{user} -> {used}" for user in house.lists for used in house.allowed[user]]
    idle = [arrow for arrow in idle if tuple(arrow.split(" -> ")) not in needed]
    assert not idle, f"take them out of docs/{PAGE}: {', '.join(idle)}"


@HALVES
def test_no_loops(house: House) -> None:
    """Each folder stands below all that use it."""
    for place, folder in enumerate(house.folders):
        assert house.allowed[folder] <= set(house.folders[:place]), folder


@pytest.mark.parametrize(("arrows_below", "folder"), [(python_arrows, "python/rankwise"), (c_arrows, "src")])
def test_no_circle_of_files(arrows_below: Callable[[Path], dict[str, set[str]]], folder: str) -> None:
    """Inside of folders, too, what a file needs can be read before it."""
    arrows = arrows_below(ROOT / folder)
    assert sum(map(len, arrows.values())) > 100
    files = circle(arrows)
    assert not files, f"a circle: {' -> '.join(files)}"


def test_a_circle_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__init__.py").write_text("from rankwise.folder import b\n")
    (tmp_path / "folder" / "a.py").write_text("if TYPE_CHECKING:\n    from rankwise.folder.b import B\n")
    (tmp_path / "folder" / "b.py").write_text(
        "import rankwise\ndef f():\n    from rankwise.folder.c import x\n"
    )
    (tmp_path / "folder" / "c.py").write_text("from rankwise.folder import a\n")
    arrows = python_arrows(tmp_path)
    assert arrows["rankwise.folder"] == {"rankwise.folder.b"}
    files = circle(arrows)
    assert len(files) == 4
    assert files[0] == files[-1]
    assert all(used in arrows[user] for user, used in pairwise(files))
    (tmp_path / "a.h").write_text('#include "b.h"\n#include <c.h>\n')
    (tmp_path / "b.h").write_text('#include "folder/../a.h"\n')
    assert circle(c_arrows(tmp_path)) in (["a.h", "b.h", "a.h"], ["b.h", "a.h", "b.h"])


def test_every_room_is_there() -> None:
    for folder in PYTHON.folders:
        place = ROOT / "python/rankwise" / folder
        assert place.is_dir() or place.with_suffix(".py").is_file(), folder
    folders = {place.name for place in (ROOT / "src").iterdir() if place.is_dir()}
    assert set(C.folders) == folders | {"include"}


def test_a_wrong_arrow_is_named(tmp_path: Path) -> None:
    """Also one that is taken inside of a function, or for types alone."""
    (tmp_path / "profile").mkdir()
    (tmp_path / "profile" / "a.py").write_text("def f():\n    from rankwise import analysis\n")
    (tmp_path / "topology" / "machine").mkdir(parents=True)
    (tmp_path / "topology" / "machine" / "b.py").write_text("import rankwise.network.routes.ways\n")
    assert PYTHON.wrong(python_uses(PYTHON, tmp_path)) == [
        f"profile/a.py:2: no arrow may go from profile to analysis (docs/{PAGE})",
        f"topology/machine/b.py:1: no arrow may go from topology to network (docs/{PAGE})",
    ]
    (tmp_path / "runtime").mkdir()
    (tmp_path / "keeper").mkdir()
    (tmp_path / "keeper" / "k.h").touch()
    (tmp_path / "runtime" / "r.h").write_text('#include <dlfcn.h>\n#include "../keeper/k.h"\n')
    assert C.wrong(c_uses(C, tmp_path)) == [
        f"runtime/r.h:2: no arrow may go from runtime to keeper (docs/{PAGE})"
    ]


@pytest.mark.parametrize("name", sorted(place.name for place in (ROOT / "docs").rglob("*.md")))
def test_files_that_a_page_names_are_there(name: str) -> None:
    text = re.sub(r"^    .*$", "", page(name), flags=re.MULTILINE)
    paths = [word for word in in_code(text) if re.match(r"(src|python|include|api|tests)/\S+$", word)]
    assert len(paths) > 50 or name != PAGE
    missing = [path for path in paths if not any(ROOT.glob(path)) and path not in OF_EXAMPLES]
    assert not missing


@pytest.mark.parametrize(("word", "place"), [(row[0], row[-1]) for row in table(sections(PAGE)["Words"])])
def test_words_are_those_of_the_code(word: str, place: str) -> None:
    path = ROOT / in_code(place)[0]
    assert word.replace(" ", "") in path.read_text(encoding="utf-8").lower().replace(" ", "")


def test_files_of_tests_have_names_of_their_own() -> None:
    """Pytest imports them by their names alone: two alike can't be collected together."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, number in names.items() if number > 1] == []
