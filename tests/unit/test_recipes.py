"""Recipes of package managers ask for what pyproject.toml asks for, and pipelines call make's targets."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "release" / "recipes"
VERSION = "1.2.3"
WORKFLOWS = [ROOT / ".github" / "workflows" / "ci.yml", ROOT / ".gitlab-ci.yml"]
EXAMPLES = [ROOT / "examples" / "ci" / "github.yml", ROOT / "examples" / "ci" / "gitlab.yml"]


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def required() -> dict[str, str]:
    """Name and least version of each dependency."""
    parts = (re.split(r">=", text) for text in project()["dependencies"])
    return {name.lower(): least for name, least in parts}


def recipe(name: str) -> str:
    text = (RECIPES / name).read_text(encoding="utf-8")
    return (
        text.replace("@VERSION@", VERSION)
        .replace("@SHA256@", "0" * 64)
        .replace("@URL@", "https://example.org")
    )


def test_every_recipe_takes_the_version() -> None:
    for path in RECIPES.rglob("*"):
        assert path.is_dir() or "@VERSION@" in path.read_text(encoding="utf-8"), path


def test_spack() -> None:
    asked: dict[str, str] = {}
    versions: dict[str, str] = {}

    def depends_on(spec: str, type: object = None) -> None:  # noqa: A002, ARG001 - as Spack calls it
        name, _, version = spec.partition("@")
        asked[name] = version.removesuffix(":")

    class When:
        def __init__(self, _: str) -> None: ...

        def __enter__(self) -> None:
            self.before = dict(asked)

        def __exit__(self, *_: object) -> None:  # what a variant brings is no dependency of all
            asked.clear()
            asked.update(self.before)

    def decorator(*_: object, **__: object) -> Callable[[object], object]:
        return lambda function: function

    known = {
        "PythonPackage": object,
        "license": lambda _: None,
        "version": lambda number, sha256: versions.update({number: sha256}),
        "variant": lambda *_, **__: None,
        "depends_on": depends_on,
        "when": When,
        "run_after": decorator,
        "on_package_attributes": decorator,
    }
    text = recipe("spack/package.py").replace("from spack.package import *", "")
    exec(compile(text, "package.py", "exec"), known)
    assert versions == {VERSION: "0" * 64}
    of_python = {name.removeprefix("py-"): least for name, least in asked.items() if name.startswith("py-")}
    assert of_python.pop("scikit-build-core") == "0.10"
    assert of_python == required()
    assert asked["python"] == project()["requires-python"].removeprefix(">=")


def test_conda() -> None:
    text = re.sub(r"\{% set (\w+) = (.*) %\}", "", recipe("conda/meta.yaml"))
    text = text.replace("{{ name }}", "rankwise").replace("{{ version }}", VERSION)
    text = re.sub(r"\{\{ (\w+)(?:\(.*\))? \}\}", r"\1", text)
    metadata = yaml.safe_load(text)
    run = dict(line.split(" >=") for line in metadata["requirements"]["run"])
    assert run.pop("python") == project()["requires-python"].removeprefix(">=")
    assert run == required()
    assert metadata["source"]["sha256"] == "0" * 64 or int(metadata["source"]["sha256"]) == 0
    assert metadata["about"]["license_file"] == project()["license-files"]
    assert all((ROOT / name).is_file() for name in metadata["about"]["license_file"])


@pytest.mark.parametrize("name", ["rankwise-standalone.eb", "rankwise-gfbf-2024a.eb"])
def test_easybuild(name: str) -> None:
    variables: dict[str, Any] = {"SYSTEM": {"name": "system", "version": "system"}}
    exec(compile(recipe(f"easybuild/{name}"), name, "exec"), variables)
    assert variables["version"] == VERSION
    assert {
        "easyblock",
        "name",
        "homepage",
        "description",
        "toolchain",
        "sanity_check_paths",
        "moduleclass",
    } <= set(variables)
    if "exts_list" in variables:
        assert variables["exts_list"][-1][:2] == ("rankwise", VERSION)


def test_module_file() -> None:
    """The calls of Lmod, by a Lua that has none but these."""
    lua = next(filter(None, map(shutil.which, ("lua", "lua5.4", "lua5.3", "lua5.1"))), None)
    if lua is None:
        pytest.skip("no Lua: apt-get install lmod")
    stand_in = """
    function help(text) assert(text:find("rankwise run")) end
    function whatis(text) print("whatis " .. text) end
    function pathJoin(a, b) return a .. "/" .. b end
    function prepend_path(name, value) print(name .. "=" .. value) end
    """
    program = stand_in + recipe("modules/rankwise.lua")
    done = subprocess.run([lua, "-"], input=program, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert f"PATH=/opt/rankwise/{VERSION}/bin" in done.stdout
    assert f"whatis Version: {VERSION}" in done.stdout


LMOD = Path("/usr/share/lmod/lmod/libexec/lmod")


@pytest.mark.skipif(not LMOD.exists(), reason="no Lmod: apt-get install lmod")
def test_module_file_in_lmod(tmp_path: Path) -> None:
    module = tmp_path / "modules" / "rankwise" / f"{VERSION}.lua"
    module.parent.mkdir(parents=True)
    module.write_text(recipe("modules/rankwise.lua"))
    environment = {
        "PATH": "/usr/bin:/bin",
        "MODULEPATH": str(tmp_path / "modules"),
        "RANKWISE_FOLDER": "/folder",
    }

    def lmod(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(LMOD), "bash", *words, "rankwise"]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=True
        )

    assert "PATH=/folder/bin:/usr/bin:/bin;" in lmod("load").stdout
    assert "rankwise doctor nodes -- srun" in lmod("help").stderr


def targets() -> set[str]:
    return set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_pipelines_call_make(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert yaml.safe_load(text)
    called = re.findall(r"(?:run:|-) make ([\w-]+)", text)
    assert {"test", "lint", "dist"} <= set(called) <= targets()


@pytest.mark.parametrize("path", [*WORKFLOWS, *EXAMPLES], ids=lambda path: f"{path.parent.name}-{path.name}")
def test_pipelines_are_valid(path: Path) -> None:
    program = shutil.which("check-jsonschema", path=f"{Path(sys.executable).parent}")
    if program is None:
        pytest.skip("no check-jsonschema: pip install -r requirements-dev.txt")
    schema = "vendor.gitlab-ci" if "gitlab" in path.name else "vendor.github-workflows"
    words = [program, "--builtin-schema", schema, str(path)]
    if "gitlab" in path.name:
        words += ["--data-transform", "gitlab-ci"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout


def test_the_job_that_compares(tmp_path: Path) -> None:
    """With a rankwise that only writes down how it is called."""
    rankwise = tmp_path / "rankwise"
    rankwise.write_text('#!/bin/sh\necho "$@" >> calls\n[ "$1" = run ] && : > "$5" || exit 3\n')
    rankwise.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "COMMAND": "mpirun -n 2 ./app", "RUNS": "2"}

    def compare() -> int:
        words = ["sh", str(ROOT / "examples" / "ci" / "compare.sh")]
        return subprocess.run(words, cwd=tmp_path, env=environment, timeout=60, check=False).returncode

    assert compare() == 0  # there is nothing to compare with
    shutil.copytree(tmp_path / "new", tmp_path / "baseline")
    assert compare() == 3
    *runs, comparison = (tmp_path / "calls").read_text().splitlines()
    assert runs[-1] == "run --quiet --force -o new/2.rankwise -- mpirun -n 2 ./app"
    assert comparison.startswith("diff --metric wall --fail-above 10% --output summary.md")
    assert comparison.endswith("baseline/1.rankwise baseline/2.rankwise -- new/1.rankwise new/2.rankwise")
