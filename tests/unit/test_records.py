"""Records with many fields are built by name: two values of one type that are swapped are seen by nobody."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from syntax_trees import parsed

PACKAGE = Path(__file__).parents[2] / "python/rankwise"
MOST_BY_POSITION = 8


@cache
def sources() -> dict[str, ast.Module]:
    """The modules of the package, by their paths in it."""
    return {file.relative_to(PACKAGE).as_posix(): parsed(file) for file in PACKAGE.rglob("*.py")}


def fields_by_position(record: ast.ClassDef) -> int:
    """How many fields a data class takes by position."""
    made = " ".join(ast.unparse(decorator) for decorator in record.decorator_list)
    if "dataclass" not in made or "kw_only=True" in made:
        return 0
    number = 0
    for statement in record.body:
        if not isinstance(statement, ast.AnnAssign) or "ClassVar" in ast.unparse(statement.annotation):
            continue
        if ast.unparse(statement.annotation) == "KW_ONLY":
            break
        number += statement.value is None or "init=False" not in ast.unparse(statement.value)
    return number


def by_position(tree: ast.Module) -> Iterator[str]:
    """Names of the data classes in a module that take more fields by position than they may."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and fields_by_position(node) > MOST_BY_POSITION:
            yield node.name


def wide_tuples(tree: ast.Module) -> Iterator[str]:
    """Names of the named tuples in a module with more fields than may be given by position."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] == ["NamedTuple"]:
            fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
            if len(fields) > MOST_BY_POSITION:
                yield node.name


def calls_by_position(tree: ast.Module, records: set[str]) -> Iterator[tuple[str, int]]:
    """Records that a module makes with a field by position, and the lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            name = ast.unparse(node.func).removesuffix("._make").rpartition(".")[2]
            if name in records:
                yield name, node.lineno


def test_records_of_many_fields_are_built_by_name() -> None:
    assert [f"{path}: {name}" for path, tree in sources().items() for name in by_position(tree)] == []


def test_a_record_that_is_built_by_position_is_named() -> None:
    fields = "".join(f"    field_{place}: int\n" for place in range(MOST_BY_POSITION + 1))
    wide = f"class Wide:\n{fields}"
    assert list(by_position(ast.parse(f"@dataclass(frozen=True)\n{wide}"))) == ["Wide"]
    assert not list(by_position(ast.parse(f"@dataclass(frozen=True, kw_only=True)\n{wide}")))
    by_name = wide.replace("    field_8", "    _: KW_ONLY\n    field_8")
    assert not list(by_position(ast.parse(f"@dataclass\n{by_name}")))


def test_named_tuples_of_many_fields_are_built_by_name() -> None:
    """They can't forbid positions. Data classes could, but take time at each start of a job."""
    trees = sources()
    wide = {(path, name) for path, tree in trees.items() for name in wide_tuples(tree)}
    complaints = []
    for path, tree in trees.items():
        modules = {
            node.module: {alias.name for alias in node.names}
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
        }
        here = {
            name
            for file, name in wide
            if file == path
            or name in modules.get(f"rankwise.{file.removesuffix('.py').replace('/', '.')}", ())
        }
        complaints += [f"{path}:{line}: {name}" for name, line in calls_by_position(tree, here)]
    assert wide
    assert complaints == []


def test_a_named_tuple_that_is_built_by_position_is_named() -> None:
    made = ast.parse("Wide(1, b=2)\nWide(a=1, b=2)\nWide._make(row)\nmodule.Wide(*row)\nOther(1)\n")
    assert list(calls_by_position(made, {"Wide"})) == [("Wide", 1), ("Wide", 3), ("Wide", 4)]


PLAIN = {"None", "Path", "Sequence", "bool", "float", "int", "list", "str", "tuple"}
"""Types of what a function may be given beside the arguments of the command line."""


def carriers(tree: ast.Module) -> Iterator[str]:
    """Functions of a module that have the arguments of the command line beside objects of the domain."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        types = [argument.annotation for argument in given if argument.annotation is not None]
        others = [annotation for annotation in types if ast.unparse(annotation) != "argparse.Namespace"]
        names = {
            part.id for annotation in others for part in ast.walk(annotation) if isinstance(part, ast.Name)
        }
        if len(others) < len(types) and not names - {"argparse", "Any"} <= PLAIN:
            yield node.name


def test_arguments_of_the_command_line_stay_at_the_door() -> None:
    """What works on a profile, a fabric or a program is given what it needs by name, or a request."""
    users = {path for path, tree in sources().items() if any(map(is_namespace, ast.walk(tree)))}
    assert {path.partition("/")[0] for path in users} == {"commands"}
    assert [f"{path}: {name}" for path in sorted(users) for name in carriers(sources()[path])] == []


def is_namespace(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "Namespace"


def test_a_function_that_carries_arguments_into_the_domain_is_named() -> None:
    made = ast.parse(
        "def run(arguments: argparse.Namespace) -> int: ...\n"
        "def check(arguments: argparse.Namespace, mode: str, *, paths: list[Path] | None) -> None: ...\n"
        "def show(arguments: argparse.Namespace, found: Answer) -> None: ...\n"
        "def more(found: Answer, *, arguments: argparse.Namespace) -> None: ...\n"
    )
    assert list(carriers(made)) == ["show", "more"]
