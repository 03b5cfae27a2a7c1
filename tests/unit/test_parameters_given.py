"""The user's own list of parameters: values, ranges, constraints, and what is refused with its line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from profiles import write_profile

from golden import Golden
from rankwise.__main__ import main
from rankwise.commands.tune import parameters
from rankwise.errors import RankwiseError
from rankwise.tuning.parameters.constraint import Unknown, parse
from rankwise.tuning.parameters.given import Given, checked, read_given
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.program import Program

OPEN_MPI = Layers(
    library=("Open MPI v5.0.11, package: x",),
    pml="ob1",
    btls=("sm", "self"),
    names=frozenset({"btl_sm_eager_limit", "btl_sm_max_send_size", "btl_sm_free_list_max", "pml"}),
    values={"btl_sm_eager_limit": "4096", "btl_sm_max_send_size": "32768"},
)
OPEN_MPI_4 = Layers(
    library=("Open MPI v4.1.4, package: x",),
    names=frozenset({"btl_vader_eager_limit", "btl_self_eager_limit"}),
)
MPICH = Layers(library=("MPICH Version:      5.0.2",), names=frozenset({"MPIR_CVAR_CH4_NETMOD"}))


def nothing(_: str) -> frozenset[str]:
    return frozenset()


def given(tmp_path: Path, text: str) -> Given:
    path = tmp_path / "list"
    path.write_text(text)
    return read_given(path)


def refusal(tmp_path: Path, text: str, layers: Layers | None = None) -> str:
    with pytest.raises(RankwiseError) as caught:
        content = given(tmp_path, text)
        if layers:
            checked(content, layers, nothing)
    return str(caught.value).removeprefix(f"{tmp_path}/")


def test_values_ranges_and_short_names(tmp_path: Path) -> None:
    text = """
    # of ours
    btl_sm_eager_limit = 8k, 16384   # either name
    OMPI_MCA_btl_tcp_eager_limit = 64k..256k *2, 1M
    UCX_TLS = sm, self
    MY_TILE = 1..7 +3
    require btl_sm_eager_limit <= btl_sm_max_send_size
    """
    content = given(tmp_path, text)
    assert [(parameter.variable, parameter.values) for parameter in content.parameters] == [
        ("OMPI_MCA_btl_sm_eager_limit", (None, "8192", "16384")),
        ("OMPI_MCA_btl_tcp_eager_limit", (None, "65536", "131072", "262144", "1048576")),
        ("UCX_TLS", (None, "sm", "self")),
        ("MY_TILE", (None, "1", "4", "7")),
    ]
    assert [parameter.name for parameter in content.parameters][:2] == [
        "btl_sm_eager_limit",
        "btl_tcp_eager_limit",
    ]
    assert content.names == ("btl_sm_eager_limit", "btl_tcp_eager_limit", "btl_sm_max_send_size")
    [required] = content.constraints
    assert required.where == f"{tmp_path}/list:7"


@pytest.mark.parametrize(
    ("text", "values", "holds"),
    [
        ("A <= B", {"A": "4k", "B": "4096"}, True),
        ("A < B", {"A": "4k", "B": "4096"}, False),
        ("4k <= A <= 1M", {"A": "2k"}, False),
        ("A == 1 or A == 2 and B > 7", {"A": "1", "B": "0"}, True),
        ("(A == 1 or A == 2) and B > 7", {"A": "1", "B": "0"}, False),
        ("A != 0.5", {"A": "0.5"}, False),
        ("A >= -1", {"A": "-1"}, True),
    ],
)
def test_constraints(text: str, values: dict[str, str], holds: bool) -> None:
    assert parse(text).holds(values) is holds


def test_a_constraint_on_what_is_no_number() -> None:
    with pytest.raises(Unknown, match="A"):
        parse("A < 3").holds({"A": "auto"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "A <",
        "A <= B C",
        "(A <= B",
        "A <= B)",
        "A <= and",
        "A << B",
        "__import__('os') < 3",
        "A + 1 < B",
    ],
)
def test_what_is_no_constraint(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)
    assert refusal(tmp_path, f"A = 1\nrequire {text}").startswith("list:2: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A: 1", "list:1 .. 1 .. NAME .. 4k .. 8k .. B"),
        ("\nA = 1,,2", "list:2"),
        ("A =", "list:1"),
        ("A = 4k, 4096", "list:1: the value 4096 is given twice"),
        ("A = 4k..64k", "list:1 .. 4k..64k .. 4k..64k *2 .. 1..9 +2"),
        ("A = 8..4 +1", "list:1 .. 8..4 +1"),
        ("A = 1..4 *1", "list:1 .. 1..4 *1"),
        ("A = 1..1000 +1", "list:1 .. 51 .. 50"),
    ],
)
def test_lines_that_are_refused(tmp_path: Path, text: str, said: str, golden: Golden) -> None:
    golden.says(refusal(tmp_path, text), said)


def test_files_that_are_refused(tmp_path: Path, golden: Golden) -> None:
    assert "gives no parameter" in refusal(tmp_path, "# nothing\n")
    assert "is given twice: first in" in refusal(tmp_path, "a = 1\nOMPI_MCA_a = 2\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(RankwiseError) as error:
        read_given(tmp_path / "binary")
    golden.says(error.value, "UTF-8")
    with pytest.raises(RankwiseError, match="No such file"):
        read_given(tmp_path / "missing")


@pytest.mark.parametrize(
    ("line", "layers", "said"),
    [
        (
            "btl_sm_eager_limits = 1",
            OPEN_MPI,
            "list:1: unknown parameter btl_sm_eager_limits; did you mean btl_sm_eager_limit?",
        ),
        (
            "MPIR_CVAR_CH4_NETMODE = ofi",
            MPICH,
            "list:1: unknown parameter MPIR_CVAR_CH4_NETMODE; did you mean MPIR_CVAR_CH4_NETMOD?",
        ),
        (
            "MPIR_CVAR_X = 1",
            OPEN_MPI,
            "list:1 .. MPIR_CVAR_X .. MPICH .. Open MPI 5.0.11",
        ),
        (
            "OMPI_MAC_btl = 1",
            OPEN_MPI,
            "list:1: unknown parameter OMPI_MAC_btl; did you mean OMPI_MCA_btl?",
        ),
        (
            "pml = ob1\nrequire btl_sm_free_list_max < 3",
            OPEN_MPI,
            "list:2 .. btl_sm_free_list_max",
        ),
        (
            "btl_sm_eager_limit = 8k",
            OPEN_MPI_4,
            "list:1 .. btl_sm_eager_limit .. btl_vader_eager_limit .. Open MPI 4.1.4",
        ),
        (
            "btl_sm_eager_limits = 8k",
            OPEN_MPI_4,
            "list:1: unknown parameter btl_sm_eager_limits; did you mean btl_vader_eager_limit?",
        ),
        (
            "OMPI_MCA_btl_vader_eager_limit = 8k",
            OPEN_MPI,
            "list:1 .. btl_vader_eager_limit .. btl_sm_eager_limit .. Open MPI 5.0.11",
        ),
        (
            "btl_self_eager_limit = 8k\nrequire btl_sm_eager_limit <= 64k",
            OPEN_MPI_4,
            "list:2 .. btl_sm_eager_limit .. btl_vader_eager_limit .. Open MPI 4.1.4",
        ),
    ],
)
def test_parameters_that_the_library_does_not_have(
    tmp_path: Path, line: str, layers: Layers, said: str, golden: Golden
) -> None:
    golden.says(refusal(tmp_path, line, layers), said)


def test_parameters_that_are_known_or_of_no_library(tmp_path: Path) -> None:
    content = checked(given(tmp_path, "btl_sm_eager_limit = 8k\nUCX_TLS = sm\nTILE = 3"), OPEN_MPI, nothing)
    assert [parameter.present for parameter in content.parameters] == ["4096", "", ""]


def test_parameters_that_only_the_library_s_tool_lists(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask(prefix: str) -> frozenset[str]:
        asked.append(prefix)
        return frozenset({"pml_cm_priority"})

    assert checked(given(tmp_path, "pml_cm_priority = 8"), OPEN_MPI, ask)
    assert asked == ["OMPI_MCA_"]


def test_a_mistake_in_the_list_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command with the right list begins afresh, also where runs are to be kept."""
    profile = write_profile(tmp_path / "app.rankwise")
    kept, said = tmp_path / "kept", []

    def mistaken(*arguments: object) -> None:
        [store] = [argument for argument in arguments if isinstance(argument, Path)]
        (store / "layers.01.rankwise").touch()
        said.append(store)
        raise RankwiseError("list:1: unknown parameter")

    monkeypatch.setattr(parameters, "_raced", mistaken)
    monkeypatch.setattr(Program, "refuse_other_library", lambda *_: None)
    for words in ([], [], ["--keep", str(kept)], ["--keep", str(kept)]):
        command = ["tune", "parameters", str(profile), *words, "--", "mpirun", "-n", "2", "true"]
        monkeypatch.setattr(shutil, "which", lambda name, **_: f"/bin/{name}")
        assert main(command) == 2
        assert "unknown parameter" in capsys.readouterr().err
    ours = tmp_path / "app.rankwise-parameters"
    assert [store.parent for store in said] == [ours] * 2 + [tmp_path] * 2
    assert said[2:] == [kept] * 2
    assert not any(store.exists() for store in (ours, *said))
