"""Taking commands apart. The launchers' kinds are given, no launcher is asked."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from rankwise.launch.commandline import CommandLine, parse

LABELS = {"mpirun": "Open MPI", "/some/bin/mpiexec": "MPICH", "mpiexec": "Intel MPI"}


def take(command: str) -> CommandLine:
    words = shlex.split(command)
    parsed = parse(words, lambda launcher: LABELS.get(launcher, ""))
    assert parsed.words == words  # nothing is lost on the way
    return parsed


@pytest.mark.parametrize(
    ("command", "launcher", "known", "program"),
    [
        ("./app -n 4", "", None, "./app -n 4"),
        ("mpirun -n 4 ./app -x y", "mpirun", "openmpi", "./app -x y"),
        ("mpirun --oversubscribe --np 4 app", "mpirun", "openmpi", "app"),
        ("mpirun -mca btl self,tcp --map-by :OVERSUBSCRIBE app", "mpirun", "openmpi", "app"),
        ("mpirun -x A=b -x C --bind-to none -H a:2,b:2 -- app --", "mpirun", "openmpi", "app --"),
        ("mpirun.openmpi --prtemca a b --pernode app", "mpirun.openmpi", "openmpi", "app"),
        ("prterun --map-by=core app", "prterun", "openmpi", "app"),
        ("/some/bin/mpiexec -genv A b -n 2 -ppn 1 app", "/some/bin/mpiexec", "hydra", "app"),
        ("mpiexec -genv A=b -env C d -l -f hosts app", "mpiexec", "hydra", "app"),
        ("mpiexec.hydra -print-rank-map -s all -iface eth0 app", "mpiexec.hydra", "hydra", "app"),
        ("srun -n4 -N 2 --cpu-bind=cores --mpi pmix -lu app -n 3", "srun", "slurm", "app -n 3"),
        ("srun -K1 --nice --ntasks 3 app", "srun", "slurm", "app"),
        ("aprun -n 4 sh -c x", "aprun", "cray", "sh -c x"),
        ("mpirun_rsh -np 2 h1 h2 VAR=v ./app x=y", "mpirun_rsh", "mvapich", "./app x=y"),
        ("mpirun_rsh -ssh -export -np 4 -hostfile hosts A=1 B= ./app", "mpirun_rsh", "mvapich", "./app"),
        ("mpirun_rsh -np 1 h1 numactl -l ./app : x", "mpirun_rsh", "mvapich", "./app : x"),
        ("env -u X A=b timeout -k 5 60 nice -n 3 mpirun -n 1 app", "mpirun", "openmpi", "app"),
        ("taskset -c 0-3 stdbuf -oL nohup setsid -w mpirun app", "mpirun", "openmpi", "app"),
        ("ionice -c 2 chrt -f 1 numactl -m 0 --cpunodebind=0 time -v mpirun app", "mpirun", "openmpi", "app"),
        ("sitewrap mpirun -n 2 app", "mpirun", "openmpi", "app"),
        ("sitewrap -q mpirun -n 2 app", "", None, "sitewrap -q mpirun -n 2 app"),
        ("mpirun -n 2 env A=b numactl -l app 1", "mpirun", "openmpi", "app 1"),
        ("timeout 5", "", None, "timeout 5"),
        ("mpirun --no-such-flag sh x", "mpirun", "openmpi", "sh x"),
        ("mpirun --no-such-option value sh x", "mpirun", "openmpi", "sh x"),
    ],
)
def test_parts(command: str, launcher: str, known: str | None, program: str) -> None:
    parsed = take(command)
    assert parsed.launcher == launcher
    assert (parsed.known.name if parsed.known else None) == known
    assert [shlex.join(c.program) for c in parsed.contexts] == [program]


def test_several_programs() -> None:
    parsed = take("mpirun -n 1 -x A=b ./one a : -n 2 nice ./two : ./three")
    assert [c.program for c in parsed.contexts] == [("./one", "a"), ("./two",), ("./three",)]
    assert [o.words for o in parsed.contexts[0].options] == [("-n", "1"), ("-x", "A=b")]
    assert parsed.contexts[1].wrappers[0].words == ("nice",)


def test_program_in_a_file() -> None:
    assert take("mpirun --app jobs").contexts[0].program == ()
    assert take("mpiexec -configfile jobs").contexts[0].program == ()
    assert take("srun -n 4 --multi-prog jobs.conf more").contexts[0].program == ()


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("srun -n 4 --multi-prog FILE x", "# first\n0,2-3 ./one a %t\n* nice ./two \\\n  b # last\n\n"),
        ("mpirun --app FILE", "-np 2 -x A=b ./one a %t\n# no\n-np 1 nice ./two b\n"),
        ("mpiexec -configfile FILE", "-n 2 -env A b ./one a %t\n-n 1 ./two b\n-n 1 ./two b\n"),
    ],
)
def test_the_programs_of_a_file(command: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "jobs"
    file.write_text(text)
    [context] = take(command.replace("FILE", str(file))).contexts
    assert context.programs == (("./one", "a", "%t"), ("./two", "b"))
    file.write_text("'")
    assert take(command.replace("FILE", str(file))).contexts[0].programs == ()


def test_environment_of_env() -> None:
    wrapper = take("env -u B A=1 C=2 app").wrappers[0]
    assert wrapper.environment({"A": "0", "B": "0", "D": "0"}) == {"A": "1", "C": "2", "D": "0"}
    assert take("env -i A=1 app").wrappers[0].environment({"B": "0"}) == {"A": "1"}
    assert take("nice app").wrappers[0].environment({"B": "0"}) == {"B": "0"}
