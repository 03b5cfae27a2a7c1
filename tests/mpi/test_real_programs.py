"""Programs that we did not write: their results are the same with and without Rankwise."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import libraries
import pytest
import recording

PROGRAMS = Path(__file__).parent / "programs"
OPENMPI = next((mpi for mpi in libraries.ALL if mpi.name == "openmpi-debian"), None)
LAMMPS = shutil.which("lmp")
HPCC = shutil.which("hpcc")


def without_rankwise(words: list[str], place: Path) -> str:
    assert OPENMPI is not None
    done = subprocess.run(words, capture_output=True, text=True, timeout=170, cwd=place, env=OPENMPI.env())
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not (LAMMPS and OPENMPI), reason="needs Debian's LAMMPS and Open MPI")
def test_lammps(tmp_path: Path) -> None:
    assert OPENMPI is not None
    words = OPENMPI.launch(4, str(LAMMPS), "-in", PROGRAMS / "in.lj", "-log", "none")
    plain = without_rankwise(words, tmp_path)
    done = recording.run(words, tmp_path / "lammps.rankwise", OPENMPI.env())
    assert done.process.returncode == 0

    def thermo(output: str) -> list[str]:
        return re.findall(r"^ +\d+ +-?[\d.]+ .*$", output, re.MULTILINE)

    assert len(thermo(plain)) == 11
    assert thermo(done.process.stdout) == thermo(plain)

    # Its grid of processors, and the calls that every step makes.
    assert done.communicators().keys() == {"W", "W_a1"}
    assert done.rows("SELECT topology, members FROM communicators WHERE name = 'W_a1'") == [("cart", "0-3")]
    assert done.calls("MPI_Send").keys() == {0, 1, 2, 3}
    assert done.calls("MPI_Send")[0][0] == done.calls("MPI_Irecv")[0][0]
    sent = sum(row[1] for row in done.calls("MPI_Send").values())
    received = sum(row[2] for row in done.calls("MPI_Irecv").values())
    assert sent == received > 10_000_000
    assert sum(size for _, size in done.messages().values()) == sent + sum(
        row[1] for row in done.calls("MPI_Sendrecv").values()
    )
    assert done.warnings == []
    assert done.dropped == {}


@pytest.mark.exhaustive
@pytest.mark.skipif(not (HPCC and OPENMPI), reason="needs Debian's hpcc and Open MPI")
def test_hpcc(tmp_path: Path) -> None:
    assert OPENMPI is not None
    words = OPENMPI.launch(4, str(HPCC))
    results = []
    for place in (tmp_path / "plain", tmp_path / "profiled"):
        place.mkdir()
        shutil.copy(PROGRAMS / "hpccinf.txt", place)
    without_rankwise(words, tmp_path / "plain")
    done = recording.run(words, tmp_path / "profiled" / "hpcc.rankwise", OPENMPI.env())
    assert done.process.returncode == 0
    for place in (tmp_path / "plain", tmp_path / "profiled"):
        text = (place / "hpccoutf.txt").read_text()
        # Residuals differ from run to run, with and without us; the verdicts on them don't.
        keys = r"^(Success|CommWorldProcs|PTRANS_residual|\w*_Errors|\w*_ErrorsFraction|HPL_N|HPL_nprow)=.*$"
        verdicts = r"^ +\d+ tests .*$|Found \d+ errors in \d+ locations \(passed\)|Node\(s\) with error \d+"
        results.append([m.group() for m in re.finditer(f"{keys}|{verdicts}", text, re.MULTILINE)])
    assert len(results[0]) > 20
    assert results[1] == results[0]
    assert done.communicators()["W"] == "0-3"
    assert len(done.communicators()) > 20
    assert done.warnings == []
    assert done.dropped == {}
