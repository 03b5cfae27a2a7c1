"""--inside, --no-inside and --see-all: what they become for the processes, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import Golden
from rankwise.__main__ import main
from rankwise.errors import RankwiseError
from rankwise.launch import inside_options


@pytest.mark.parametrize(
    ("names", "procedures"),
    [
        ("bcast", {"MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init"}),
        ("MPI_BCAST", {"MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init"}),
        ("ibcast, bcast_init", {"MPI_Ibcast", "MPI_Bcast_init"}),
        ("scan,exscan_init", {"MPI_Scan", "MPI_Iscan", "MPI_Scan_init", "MPI_Exscan_init"}),
        ("comm_dup", {"MPI_Comm_dup", "MPI_Comm_idup"}),
        (
            "neighbor_alltoall",
            {"MPI_Neighbor_alltoall", "MPI_Ineighbor_alltoall", "MPI_Neighbor_alltoall_init"},
        ),
        ("win_fence", {"MPI_Win_fence"}),
    ],
)
def test_a_name_stands_for_all_forms(names: str, procedures: set[str]) -> None:
    assert set(inside_options.only(names)) == procedures
    bare = {name.removeprefix("MPI_") for name in procedures}
    assert set(inside_options.choosing(procedures)["RANKWISE_ONLY"].split(",")) == bare


@pytest.mark.parametrize(
    ("names", "line"),
    [
        ("allreduce,bcst", "'bcst'"),
        ("alltoal", "'alltoal'"),
        ("send", "is called 'send'; "),  # the program's own messages are recorded anyway
        ("", "is called ''; names are MPI's, such as bcast,allreduce"),
    ],
)
def test_unknown_names(names: str, line: str, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        inside_options.only(names)
    golden.says(str(error.value), line)
    assert "\n" not in str(error.value)


def test_everything() -> None:
    nolocal = {"MPIR_CVAR_NOLOCAL": "1"}
    assert inside_options.everything(["openmpi"], {}) == {}
    assert inside_options.everything(["mpich"], {}).items() >= nolocal.items()
    assert "MPIR_CVAR_NOLOCAL" not in inside_options.everything(["mpich"], {"MPIR_CVAR_NOLOCAL": "0"})
    # What a script or Python will load is not known.
    for libraries in ([], ["unknown"], ["openmpi", "unknown"]):
        assert inside_options.everything(libraries, {}).items() >= nolocal.items()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--inside", "bcst"], ""),
        (["--see-all", "--no-inside"], "contradict each other"),
    ],
)
def test_refused_before_anything_is_started(
    options: list[str], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    output = tmp_path / "out.rankwise"
    assert main(["run", *options, "-o", str(output), "--", "touch", str(tmp_path / "started")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rankwise: ")
    assert error.count("\n") == 1
    golden.says(error, line)
    assert list(tmp_path.iterdir()) == []
