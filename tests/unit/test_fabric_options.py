"""Options of all verbs that take a fabric."""

from __future__ import annotations

import argparse
import json
from types import ModuleType

import pytest

from rankwise.__main__ import main
from rankwise.commands import links, report
from rankwise.commands.machine import from_fabric


def parsed(verb: ModuleType, *words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize("verb", [links, report])
def test_each_time_that_the_option_is_there_adds_to_it(verb: ModuleType) -> None:
    options = parsed(verb, "a.rankwise", "--fabric", "a", "b", "--fabric", "c")
    assert options.fabric == ["a", "b", "c"]


def test_two_rails_by_two_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["links", "--fabric", "torus:2x2", "--fabric", "torus:2x2,names=a[1-4]", "--json"]) == 0
    fabric = json.loads(capsys.readouterr().out)["fabric"]
    assert len(fabric["rails"]) == 2


def test_a_rule_for_routes(capsys: pytest.CaptureFixture[str]) -> None:
    for verb, words in ((links, ["--fabric", "x"]), (report, ["a.rankwise"]), (from_fabric, ["x"])):
        assert parsed(verb, *words, *(["-o", "y"] if verb is from_fabric else []), "--routing", "minhop")
    assert main(["report", "a.rankwise", "--routing", "even"]) == 2
    assert "--fabric" in capsys.readouterr().err
