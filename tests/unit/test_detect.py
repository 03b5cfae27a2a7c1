"""Which MPI a program uses: programs and MPI libraries are empty ones with the right names."""

from __future__ import annotations

import json
import os
import shutil
import struct
from pathlib import Path

import pytest
from test_elf import build, library

from rankwise.errors import RankwiseError
from rankwise.launch import checkup
from rankwise.launch.detect import Kind, detect
from rankwise.launch.elf import imported_symbols
from rankwise.launch.plan import plan
from rankwise.profile.collect import coverage
from rankwise.profile.collect.procedures import Procedure

needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")

MPI = "int MPI_Init(void) { return 0; } int MPI_Put(void) { return 0; } int MPI_Send(void) { return 0; }"
OPENMPI = MPI + " int ompi_mpi_comm_world;"
PROGRAM = "int MPI_Init(void); int MPI_Send(void); int main() { return MPI_Init() + MPI_Send(); }"


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def linked_program(place: Path, soname: str, source: str, *more: str) -> Path:
    core = library(place / soname, source)
    return build(place / "program", PROGRAM, "-Wl,--no-as-needed", str(core), *more, f"-Wl,-rpath,{place}")


@needs_cc
@pytest.mark.parametrize(
    ("soname", "source", "mpi"),
    [
        ("libmpi.so.40", OPENMPI, "openmpi"),
        ("libmpi.so.12", MPI, "mpich"),
        ("libmpi.so.12", OPENMPI, "openmpi"),  # Open MPI 1.10 used that name, too
        ("libmpich.so.12", MPI, "mpich"),
        ("libmpi_gnu_123.so.12", MPI, "mpich"),
        ("libmpi_abi.so.1", MPI, "mpiabi"),
    ],
)
def test_mpi_of_a_linked_program(tmp_path: Path, soname: str, source: str, mpi: str) -> None:
    program = linked_program(tmp_path, soname, source)
    detection = detect([str(program), "argument"], os.environ)
    assert (detection.kind, detection.mpi, detection.how) == (Kind.MPI, mpi, f"linked with {soname}")
    assert detection.library == tmp_path / soname
    assert detection.callers == (program,)
    assert {"MPI_Init", "MPI_Send"} <= imported_symbols(program)


@needs_cc
def test_mpi_behind_a_library_of_the_program(tmp_path: Path) -> None:
    core = library(tmp_path / "libmpi.so.40", OPENMPI)
    needs_put = "int MPI_Put(void); int solve(void) { return MPI_Put(); }"
    solver = library(tmp_path / "libsolver.so", needs_put, str(core), f"-Wl,-rpath,{tmp_path}")
    source = "int solve(void); int main() { return solve(); }"
    program = build(tmp_path / "program", source, str(solver), f"-Wl,-rpath,{tmp_path}")
    detection = detect([str(program)], os.environ)
    assert detection.mpi == "openmpi"
    assert [path.name for path in detection.callers] == ["program", "libsolver.so"]


@needs_cc
def test_fortran_bindings(tmp_path: Path) -> None:
    mpif_h = library(tmp_path / "libmpi_mpifh.so.40")
    f08 = library(tmp_path / "libmpi_usempif08.so.40")
    program = linked_program(tmp_path, "libmpi.so.40", OPENMPI, str(mpif_h), str(f08))
    assert detect([str(program)], os.environ).fortran == ("mpif.h", "use mpi_f08")


@needs_cc
def test_mpi_library_that_is_not_there(tmp_path: Path) -> None:
    program = linked_program(tmp_path, "libmpi.so.40", OPENMPI)
    (tmp_path / "libmpi.so.40").rename(tmp_path / "away")
    detection = detect([str(program)], {"PATH": os.defpath})
    if detection.library is None:  # otherwise the machine's own Open MPI has that name
        assert "libmpi.so.40" in detection.missing
    assert (detection.kind, detection.mpi) == (Kind.MPI, "openmpi")


@needs_cc
def test_mpi_linked_in_statically(tmp_path: Path) -> None:
    program = build(
        tmp_path / "program", "int MPI_Init(void) { return 0; } int main() { return MPI_Init(); }"
    )
    assert detect([str(program)], os.environ).static


@needs_cc
@pytest.mark.parametrize(("more", "mpi"), [("", "mpich"), ("int ompi_mpi_comm_world;", "openmpi")])
def test_mpi_and_rankwise_linked_in_statically(tmp_path: Path, more: str, mpi: str) -> None:
    source = "const char rankwise_in_program; int MPI_Init(void) { return 0; } int main() { return 0; }"
    detection = detect([str(build(tmp_path / "program", more + source))], os.environ)
    assert (detection.kind, detection.mpi, detection.static) == (Kind.LINKED, mpi, False)


@needs_cc
@pytest.mark.parametrize("start", ["MPI_Init_thread", "MPI_Session_init"])
def test_mpi_linked_in_statically_with_another_start(tmp_path: Path, start: str) -> None:
    source = f"int {start}(void) {{ return 0; }} int main() {{ return {start}(); }}"
    assert detect([str(build(tmp_path / "program", source))], os.environ).static


@needs_cc
def test_program_without_mpi(tmp_path: Path) -> None:
    program = build(tmp_path / "program", "int main() { return 0; }")
    assert detect([str(program)], os.environ).kind is Kind.OTHER


def test_scripts_and_absent_files(tmp_path: Path) -> None:
    script(tmp_path / "job", "#!/bin/sh -e\n")
    script(tmp_path / "old", "mpirun ./app\n")
    (tmp_path / "blob").write_bytes(b"\0\1\2")
    assert detect(["./job"], os.environ, tmp_path).kind is Kind.SCRIPT
    assert detect(["old"], os.environ, tmp_path).kind is Kind.SCRIPT
    assert detect(["./blob"], os.environ, tmp_path).kind is Kind.OTHER
    assert detect(["./absent"], os.environ, tmp_path).kind is Kind.MISSING
    assert detect(["sh", "-c", "true"], os.environ).kind is Kind.SCRIPT


def answering(place: Path, answer: dict[str, object]) -> dict[str, str]:
    """A Python on PATH that gives this answer about its mpi4py."""
    script(place / "bin/python3", f"#!/bin/sh\ncat <<'END'\n{json.dumps(answer)}\nEND\n")
    return {"PATH": f"{place}/bin:{os.environ['PATH']}"}


def test_python_with_mpi4py_for_several_mpis(tmp_path: Path) -> None:
    modules = ["MPI.mpich.so", "MPI.openmpi.so"]
    answer = {"modules": modules, "abi": "mpich", "libraries": ["/lib/libc.so.6", "/x/lib/libmpi.so.12"]}
    detection = detect(["python3", "solve.py"], answering(tmp_path, answer))
    assert (detection.kind, detection.mpi, detection.library) == (
        Kind.PYTHON,
        "mpich",
        Path("/x/lib/libmpi.so.12"),
    )
    script(tmp_path / "solve", "#!/usr/bin/env -S python3 -u\n")
    assert detect(["./solve"], answering(tmp_path, answer), tmp_path).mpi == "mpich"


@needs_cc
def test_python_with_mpi4py_for_one_mpi(tmp_path: Path) -> None:
    core = library(tmp_path / "libmpi.so.40", OPENMPI)
    module = library(
        tmp_path / "MPI.cpython.so", "int unused;", "-Wl,--no-as-needed", str(core), f"-Wl,-rpath,{tmp_path}"
    )
    detection = detect(["python3", "solve.py"], answering(tmp_path, {"modules": [str(module)]}))
    assert (detection.kind, detection.mpi) == (Kind.PYTHON, "openmpi")


def test_python_that_tells_nothing(tmp_path: Path) -> None:
    environment = answering(tmp_path, {"modules": None})
    assert "no mpi4py" in detect(["python3"], environment).how
    script(tmp_path / "bin/python3", "#!/bin/sh\nexit 1\n")
    assert "did not report its mpi4py" in detect(["python3"], environment).how


def test_what_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    table = (
        Procedure(1, "MPI_Send", "point-to-point", "", True),
        Procedure(2, "MPI_Put", "one-sided", "", False),
        Procedure(3, "MPI_Comm_rank", "local", "", False),
        Procedure(4, "MPI_Win_fence", "one-sided", "", False),
    )
    monkeypatch.setattr(coverage, "PROCEDURES", table)
    imported = [
        "MPI_Send",
        "MPI_Send_c",
        "MPI_Put_c",
        "MPI_Comm_rank",
        "mpi_win_fence_",
        "mpi_send_f08_",
        "main",
    ]
    imported += [
        "MPI_New_call",
        "MPI_Type_struct",
        "MPI_Wtime",
        "MPI_IN_PLACE",
        "mpi_fortran_bottom_",
        "PMPI_Put",
    ]
    assert coverage.not_covered(imported) == ["MPI_New_call", "MPI_Put", "MPI_Win_fence"]


def test_libraries_own_procedures_are_covered_or_named() -> None:
    recorded = ["MPIX_Comm_shrink", "mpix_comm_agree_"]
    local = [
        "MPIX_Query_cuda_support",
        "MPIX_Comm_failure_ack",
        "mpix_comm_get_failed_",
        "MPIX_Grequest_start",
    ]
    others = ["MPIX_Put_notify", "MPIX_Put_notify_c", "mpix_stream_send_"]
    assert coverage.not_covered([*recorded, *local, *others]) == ["MPIX_Put_notify", "MPIX_Stream_send"]


CAPABILITIES = {
    "permitted": (0x02000001, 1 << 23, 0, 0, 0),
    "permitted, high": (0x02000000, 0, 0, 1 << 6, 0),
    "inheritable": (0x02000000, 0, 1 << 23, 0, 0),
}


@needs_cc
@pytest.mark.parametrize(("kind", "words"), CAPABILITIES.items())
@pytest.mark.reported("recording/capability")
def test_file_capabilities(
    kind: str, words: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loader preloads nothing into a program that gets rights, unless the user has all."""
    program = linked_program(tmp_path, "libmpi.so.12", MPI)
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    monkeypatch.setattr(os, "getxattr", lambda *_: struct.pack(f"<{len(words)}I", *words))
    detection = detect([str(program)], os.environ)
    if kind == "inheritable":
        assert detection.privilege == ""
        return
    assert detection.privilege == "has file capabilities"
    with pytest.raises(RankwiseError) as refused:
        plan([str(program)], os.environ)
    [stop] = [finding for finding in checkup.command([str(program)], os.environ) if finding.stops]
    for said in (str(refused.value), f"{stop.text}: {stop.cure}"):
        assert said.startswith(f"{program} has file capabilities: ")
        assert said.endswith(f": cp {program} program.copy")
    monkeypatch.setattr(os, "getuid", lambda: 0)
    assert detection.privilege == ""


@needs_cc
def test_set_uid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = linked_program(tmp_path, "libmpi.so.12", MPI)
    program.chmod(0o4755)
    assert detect([str(program)], os.environ).privilege == ""  # of the user's own
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1000)
    assert detect([str(program)], os.environ).privilege == "is set-uid"


@needs_cc
@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("int main() { return 0; }", (True, False)),
        ('#include <unistd.h>\nint main() { return execl("/bin/true", "true", (char *)0); }', (False, True)),
    ],
    ids=["alone", "starts another"],
)
def test_a_program_without_mpi(source: str, outcome: tuple[bool, bool], tmp_path: Path) -> None:
    """What can load and start nothing has nothing to record; of others it is not known."""
    program = build(tmp_path / "program", source)
    [finding] = [entry for entry in checkup.command([str(program)], os.environ) if entry.subject == "program"]
    assert (finding.stops, finding.uncertain) == outcome
