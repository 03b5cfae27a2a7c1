"""`rankwise latency` before anything is started: its arguments, and the launch."""

from __future__ import annotations

from pathlib import Path

import fake_mpi
import pytest
from fake_mpi import script

from golden import Golden
from rankwise.__main__ import main
from rankwise.errors import RankwiseError
from rankwise.latency.measuring import settings
from rankwise.probes.launch import understand


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return fake_mpi.environment(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("64", (64,)),
        ("0,8b", (0, 8)),
        ("64,4K,1KiB", (64, 4096, 1024)),
        ("1M", (1 << 20,)),
        ("1MiB, 2mb", (1 << 20, 2 << 20)),
        ("1G", (1 << 30,)),
    ],
)
def test_sizes(text: str, expected: tuple[int, ...]) -> None:
    assert settings.parse_sizes(text) == expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "not a size"),
        ("64,", "not a size"),
        ("-1", "not a size"),
        ("1.5k", "not a size"),
        ("many", "not a size"),
        ("2G", "too large"),
        ("1073741825", "too large"),
        ("1k,1024", "twice"),
        (",".join(str(i) for i in range(65)), "too many"),
    ],
)
def test_wrong_sizes(text: str, what: str) -> None:
    with pytest.raises(RankwiseError, match=what):
        settings.parse_sizes(text)


def test_settings_become_the_words_of_the_probe() -> None:
    wanted = settings.settings("", "64,1M", 50, 7, single=False)
    assert wanted.words(4) == ["quiet", "64,1048576", "50", "7"]
    assert wanted.words(None)[0] == wanted.words(settings.MOST_RANKS)[0] == "quiet"
    assert wanted.words(settings.MOST_RANKS + 1)[0] == "leaders"
    assert settings.settings("loaded", "64,1M", 50, 7, single=True).words(9999) == [
        "loaded",
        "64",
        "=50",
        "7",
    ]
    assert settings.settings("loaded", "64", 50, 7, single=False).words(9)[2] == "50"
    assert settings.settings("loaded", "64", 50, 7, single=False, exact=True).words(9)[2] == "=50"
    assert 0 <= settings.settings("", "64", 1, None, single=False).seed < 1 << 32


@pytest.mark.parametrize(
    ("words", "ranks", "expected"),
    [
        ("mpirun.mpich -n 4", 4, "mpirun.mpich -n 4 P 1"),
        ("mpirun.mpich", None, "mpirun.mpich P 1"),
        ("mpirun.openmpi --mca btl tcp,self -np 4", 4, "mpirun.openmpi --mca btl tcp,self -np 4 P 1"),
        ("mpirun.mpich -n 2 : -n 3", 5, "mpirun.mpich -n 2 P 1 : -n 3 P 1"),
        ("timeout 9 mpirun.mpich -n 2", 2, "timeout 9 mpirun.mpich -n 2 P 1"),
        ("mpirun.mpich -n 2 taskset -c 0", 2, "mpirun.mpich -n 2 taskset -c 0 P 1"),
        ("mpirun.mpich -n 2 env A=b nice -n 5", 2, "mpirun.mpich -n 2 env A=b nice -n 5 P 1"),
        ("mpirun.openmpi -n 2 --agent ssh", 2, "mpirun.openmpi -n 2 --agent ssh P 1"),
        ("srun -n4 --mpi=pmix", 4, "srun -n4 --mpi=pmix P 1"),
        ("srun --ntasks=6", 6, "srun --ntasks=6 P 1"),
        ("env SLURM_NTASKS=8 srun --mpi pmix", 8, "env SLURM_NTASKS=8 srun --mpi pmix P 1"),
    ],
)
def test_the_probe_takes_the_programs_place(
    tmp_path: Path, environment: dict[str, str], words: str, ranks: int | None, expected: str
) -> None:
    for name in ("mpirun.mpich", "mpirun.openmpi", "srun", "ssh"):
        script(tmp_path / "bin" / name, "")
    launch = understand(words.split(), environment)
    assert launch.ranks == ranks
    assert launch.words(["P", "1"]) == expected.split()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("", "no command: put the launch"),
        ("mpirun.mpich -n 4 ./app --fast", "remove ./app --fast"),
        ("mpirun.mpich -n 4 : -n 2 ./app", "remove ./app"),
        ("mpirun.mpich -n 4 nice ./app", "remove ./app"),
        ("mpirun.mpich -n", "-n needs a value"),
        ("mpirun.mpich -configfile f", "-configfile"),
        ("mpirun.mpich --unknown /bin/sh", "remove /bin/sh"),
        ("ls -l", ""),
        ("nowhere -n 4", "nowhere: command not found"),
        ("env A=b mpirun.nowhere -n 4", "mpirun.nowhere is not a known launcher"),
        ("env A=b mpirun.hydra -n 4", "mpirun.hydra: command not found"),
        ("sbatch job.sh", "`rankwise latency --`"),
    ],
)
def test_a_launch_that_is_none(
    tmp_path: Path, environment: dict[str, str], words: str, what: str, golden: Golden
) -> None:
    script(tmp_path / "bin" / "mpirun.mpich", "")
    with pytest.raises(RankwiseError) as error:
        understand(words.split(), environment)
    golden.says(str(error.value), what)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--sizes", "x"], "--sizes x: "),
        (["--repeats", "0"], "--repeats 0 .. 1"),
        (["--repeats", "x"], "--repeats: invalid int value"),
        (["--seed", "-1"], "--seed .. '-1' .. 0"),
        (["--mode", "fast"], "--mode: invalid choice: 'fast'"),
        (["-o", "there.json"], "there.json already exists"),
        (["-o", "none/a.json"], "is not a directory: make it"),
        (["--mpicc", "none"], "--mpicc none: command not found"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    environment: dict[str, str],
    options: list[str],
    what: str,
    golden: Golden,
) -> None:
    script(tmp_path / "bin" / "mpirun.mpich", "echo started >&2")
    (tmp_path / "there.json").touch()
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    before = sorted(tmp_path.iterdir())
    assert main(["latency", *options, "--", "mpirun.mpich", "-n", "2"]) == 2
    err = capsys.readouterr().err
    golden.says(err, what)
    assert err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before
