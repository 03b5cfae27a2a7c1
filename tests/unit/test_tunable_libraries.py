"""A tunable library is added by one module: nothing else asks which library it is."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from examples_of_pages import blocks
from syntax_trees import parsed
from test_docs import in_code, sections, table

import rankwise
from rankwise.mpi_libraries import LIBRARIES
from rankwise.tuning.libraries import by_label, by_version, libraries
from rankwise.tuning.libraries.base import TunableLibrary

ROOT = Path(__file__).parents[2]
PAGE = "adding-a-tunable-library.md"
LABELS = {product.label for library in LIBRARIES.values() for product in library.products}
NAMES = LABELS | set(LIBRARIES)
KNOW = ("tuning/libraries/", "mpi_libraries/", "launchers/known/")
"""What is known of libraries is there; of launchers, some of which have the same names, in the last."""

ADDED = """
import re
import sys
from rankwise import mpi_libraries
from rankwise.mpi_libraries.base import Product
from rankwise.tuning import libraries
old = mpi_libraries.LIBRARIES["mpich"]
exa = Product("Exa MPI", re.compile(r"Exa MPI (\\S+)"))
mpi_libraries.LIBRARIES["mpich"] = old._replace(products=(*old.products, exa))
libraries.__path__.append("added")
import example
for name, test in list(vars(example).items()):
    if name.startswith("test_"):
        test()
        print(name)
"""


def asking(tree: ast.AST, names: set[str]) -> Iterator[int]:
    """Lines that decide by the name of a library: that compare it, match it, or look something up by it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare | ast.MatchValue):
            parts = list(ast.walk(node))
        elif isinstance(node, ast.Dict):
            parts = [part for key in node.keys if key for part in ast.walk(key)]
        else:
            continue
        if any(isinstance(part, ast.Constant) and part.value in names for part in parts):
            yield node.lineno


def test_nothing_else_asks_which_library_it_is() -> None:
    root = ROOT / "python" / "rankwise"
    places = [
        f"{file.relative_to(root)}:{line}"
        for file in sorted(root.rglob("*.py"))
        if not file.relative_to(root).as_posix().startswith(KNOW)
        for line in asking(parsed(file), NAMES)
    ]
    assert not places, f"make it a part of TunableLibrary or MpiLibrary: {', '.join(places)}"


def test_what_asks_is_found() -> None:
    text = 'if a.label == "MPICH": pass\nb = {"Intel MPI": 1}\nc = x in ("openmpi", "y")\nd = "MPICH"\n'
    assert list(asking(ast.parse(text), NAMES)) == [1, 2, 3]


def test_each_has_a_label_of_its_own_that_versions_have() -> None:
    labels = [library.label for library in libraries()]
    assert len(labels) == len(set(labels))
    assert set(labels) == LABELS
    assert by_version("MPICH Version:\t4.0.2").label == "MPICH"
    assert by_label("Exa MPI").label == ""
    assert len([library for library in libraries() if library.short]) == 1


def test_the_example(tmp_path: Path) -> None:
    module, test = blocks(PAGE)
    (tmp_path / "added").mkdir()
    (tmp_path / "added" / "exa.py").write_text(module)
    (tmp_path / "example.py").write_text(test)
    done = subprocess.run(
        [sys.executable, "-c", ADDED],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(rankwise.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == re.findall(r"def (test_\w+)", test)


def test_the_page_names_every_part() -> None:
    named = {
        name.rstrip("()")
        for row in table(sections(PAGE)["The parts of a library"])
        for name in in_code(row[0])
    }
    assert {name for name in vars(TunableLibrary) if not name.startswith("_")} == named
