"""Container tools on a command line: what they start, what gets in by itself, and what is to be added."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from golden import Golden
from rankwise.launch import checkup
from rankwise.launch.commandline import CommandLine, parse
from rankwise.launch.containers import missing
from rankwise.launch.detect import Kind
from rankwise.launch.environment import Launch, prepare
from rankwise.launch.plan import look, plan
from rankwise.launchers.base import Preload

OURS = Preload(Path("/r/lib/rw.so"), Path("/home/u/app.1.rankwise-run"))
BINDS = "/r/lib,/home/u/app.1.rankwise-run"


def take(command: str) -> CommandLine:
    words = shlex.split(command)
    parsed = parse(words, lambda _: "Open MPI")
    assert parsed.words == words  # nothing is lost on the way
    return parsed


def launch(command: str, **environment: str) -> Launch:
    return prepare(take(command), OURS, environment)


def lines(command: str, **environment: str) -> list[str]:
    parsed = take(command)
    return missing(parsed.containers, parsed.words, environment, OURS)


@pytest.mark.parametrize(
    ("command", "name", "program"),
    [
        ("apptainer exec img.sif ./app -n 1", "apptainer exec", "./app -n 1"),
        ("apptainer -q -c f exec --nv -eB /a:/b --env=A=b -C img.sif ./app", "apptainer exec", "./app"),
        ("singularity --debug run -H /h --pwd /w docker://x ./app", "singularity run", "./app"),
        ("apptainer run img.sif", "apptainer run", "apptainer run img.sif"),
        ("apptainer run img.sif --fast", "apptainer run", "apptainer run img.sif --fast"),
        ("podman run --rm -it -v /a:/b --userns keep-id -eA=b img ./app", "podman run", "./app"),
        ("podman --root /x container run --network=host -itu me img ./app", "podman run", "./app"),
        ("docker -H unix:///s exec -w /w -i name ./app x", "docker exec", "./app x"),
        ("docker run -d img", "docker run", "docker run -d img"),
        ("ch-run -w -b /a:/b --set-env=A=b -c/w img -- ./app --", "ch-run", "./app --"),
        ("shifter --image=docker:x -V /a:/b ./app", "shifter", "./app"),
        ("shifter -i x --env A=b --clearenv -- ./app", "shifter", "./app"),
        (
            "sarus --verbose run --mpi --mount=type=bind,source=/a,destination=/b x ./app",
            "sarus run",
            "./app",
        ),
        ("enroot start -rw -m .:mnt -- img ./app", "enroot start", "./app"),
        ("env A=b apptainer exec img numactl -l ./app", "apptainer exec", "./app"),
    ],
)
@pytest.mark.parametrize("launcher", ["", "mpirun -n 4 ", "timeout 5 srun -n 2 "])
def test_recognised_behind_a_launcher_and_without(
    command: str, name: str, program: str, launcher: str
) -> None:
    parsed = take(launcher + command)
    assert [container.name for container in parsed.containers] == [name]
    assert [shlex.join(context.program) for context in parsed.contexts] == [program]


@pytest.mark.parametrize(
    "command",
    ["apptainer build a b", "podman ps", "docker images", "./docker-bench run", "mpirun ./ch-run.x"],
)
def test_others_are_no_containers(command: str) -> None:
    assert take(command).containers == ()


def test_a_launcher_in_the_image_is_not_asked_here() -> None:
    asked: list[str] = []
    words = shlex.split("apptainer exec img mpirun -n 2 ./app")
    parsed = parse(words, lambda name: asked.append(name) or "Open MPI")
    assert (parsed.launcher, parsed.known and parsed.known.name, asked) == ("mpirun", "other", [])
    # It gets no option that only some would understand.
    assert prepare(parsed, OURS, {}).words == words


def test_apptainer_gets_its_own_variables() -> None:
    made = launch("apptainer exec img ./app", APPTAINERENV_LD_PRELOAD="/u.so").environment
    assert made["APPTAINER_BIND"] == BINDS
    assert made["APPTAINERENV_LD_PRELOAD"] == "/r/lib/rw.so:/u.so"
    assert made["APPTAINERENV_RANKWISE_DIR"] == made["RANKWISE_DIR"] == str(OURS.directory)
    assert "SINGULARITY_BIND" not in made
    made = launch("singularity exec img ./app").environment
    assert (made["SINGULARITY_BIND"], made["SINGULARITYENV_LD_PRELOAD"]) == (BINDS, "/r/lib/rw.so")


def test_the_variables_go_to_other_nodes_and_the_command_stays(golden: Golden) -> None:
    made = launch("mpirun -n 2 apptainer exec --nv img ./app")
    words = shlex.join(made.words)
    assert f"-x APPTAINER_BIND={BINDS} " in words
    assert words.endswith(" apptainer exec --nv img ./app")
    golden.says(made.how, "APPTAINER_BIND")


@pytest.mark.parametrize(
    ("command", "environment"),
    [
        ("apptainer exec img ./app", {"APPTAINER_BIND": "/scratch"}),
        ("apptainer exec img ./app", {"SINGULARITY_BIND": "/scratch"}),
        ("mpirun -x APPTAINER_BIND=/scratch apptainer exec img ./app", {}),
        ("mpirun env APPTAINER_BIND=/scratch apptainer exec img ./app", {}),
    ],
)
def test_binds_of_the_user_stay(command: str, environment: dict[str, str]) -> None:
    made = launch(command, **environment)
    given = {**made.environment, **dict(w.split("=", 1) for w in made.words if "=" in w)}
    assert given["APPTAINER_BINDPATH"] == BINDS
    assert given.get("APPTAINER_BIND", "/scratch") == "/scratch"
    assert lines(command, **environment) == []


def test_where_both_variables_for_binds_are_taken_the_option_is_told() -> None:
    taken = {"APPTAINER_BIND": "/a", "APPTAINER_BINDPATH": "/b"}
    made = launch("apptainer exec img ./app", **taken).environment
    assert {name: made[name] for name in taken} == taken
    assert lines("apptainer exec img ./app", **taken) == [
        "add to `apptainer exec`: --bind /r/lib --bind /home/u"
    ]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (
            "podman run img ./app",
            "`podman run`: -v /r/lib:/r/lib -v /home/u:/home/u -e LD_PRELOAD -e RANKWISE_DIR",
        ),
        (
            "docker exec name ./app",
            "`docker exec`: -e LD_PRELOAD -e RANKWISE_DIR and, where the container is made, "
            "-v /r/lib:/r/lib -v /home/u:/home/u",
        ),
        ("ch-run img -- ./app", "`ch-run`: -b /r/lib -b /home/u"),
        (
            "shifter --image=x ./app",
            "`shifter`: --volume=/r/lib:/r/lib --volume=/home/u:/home/u --env=LD_PRELOAD=/r/lib/rw.so",
        ),
        (
            "sarus run x ./app",
            "`sarus run`: --mount=type=bind,source=/r/lib,destination=/r/lib "
            "--mount=type=bind,source=/home/u,destination=/home/u --env=LD_PRELOAD=/r/lib/rw.so",
        ),
        (
            "enroot start img ./app",
            "`enroot start`: --mount /r/lib:/r/lib --mount /home/u:/home/u "
            "--env LD_PRELOAD --env RANKWISE_DIR",
        ),
        (
            "srun -n 2 --container-image img ./app",
            "`srun`: --container-mounts=/r/lib:/r/lib,/home/u:/home/u",
        ),
    ],
)
def test_what_to_add(command: str, line: str) -> None:
    assert lines(command) == [f"add to {line}"]


@pytest.mark.parametrize(
    "command",
    [
        "podman run -v /r:/r -v/home:/home:rw -e LD_PRELOAD -e RANKWISE_DIR img ./app",
        "ch-run -b /r/lib -b /home/u:/home/u img -- ./app",
        "srun --container-image=img --container-mounts=/r/lib:/r/lib:ro,/home/u:/home/u ./app",
        "sarus run --mount=type=bind,source=/r,destination=/r --mount=type=bind,src=/home,dst=/home "
        "-e LD_PRELOAD=/r/lib/rw.so x ./app",
        "mpirun -n 2 ./app",
    ],
)
def test_what_is_there_need_not_be_added(command: str) -> None:
    assert lines(command) == []


def test_another_place_inside_does_not_do() -> None:
    assert lines("ch-run -b /r/lib:/mnt/0 -b /home/u img -- ./app") == ["add to `ch-run`: -b /r/lib"]


def test_what_a_tool_shares_by_itself_need_not_be_added() -> None:
    ours = Preload(Path("/r/lib/rw.so"), Path("/tmp/u/app.1.rankwise-run"))
    advice = [
        missing(take(words).containers, [], {}, ours) for words in ("ch-run img -- a", "ch-run -t img -- a")
    ]
    assert advice == [["add to `ch-run`: -b /r/lib"], ["add to `ch-run`: -b /r/lib -b /tmp/u"]]


def test_a_program_in_an_image_is_not_looked_at_here() -> None:
    planned = look(["env", "ch-run", "img", "--", "/only/in/the/image"], {"PATH": "/usr/bin"})
    (detection,) = planned.detections
    assert (detection.kind, detection.how) == (Kind.CONTAINED, "ch-run")
    assert planned.default_output().name.startswith("image.")
    plan(["env", "ch-run", "img", "--", "/only/in/the/image"], {"PATH": "/usr/bin:/bin"})  # not refused


def test_nothing_seen_names_the_container(golden: Golden) -> None:
    reason = look(["podman", "run", "img", "app"], {}).why_nothing_was_seen(0, OURS)
    golden.says(reason, "/r/lib .. /home/u .. `podman run` .. -v")
    reason = look(["apptainer", "exec", "img", "app"], {}).why_nothing_was_seen(0, OURS)
    golden.says(reason, "`apptainer exec` .. /r/lib .. /home/u")
    reason = look(["podman", "run", "img", "app"], {}).why_nothing_was_seen(125, OURS)
    golden.says(reason, "MPI_Init")


def test_what_was_found_out_takes_the_place_of_guesses(golden: Golden) -> None:
    reason = look(["./app"], {}).why_nothing_was_seen(0, OURS, "rank 0 on n1 without Rankwise: why")
    golden.says(reason, "0 .. 0")
    assert reason.endswith("without Rankwise: why")


def test_doctor_tells_of_containers(monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    # Wherever the library is, what a tool shares by itself has it or has it not.
    monkeypatch.setattr(checkup, "_shown_library", lambda: Path("/r/lib/librankwise.so"))
    findings = list(checkup.command(["ch-run", "img", "--", "app"], {"PATH": "/usr/bin"}))
    by_subject = {finding.subject: finding for finding in findings}
    golden.says(by_subject["program"].text, "app")
    assert by_subject["container"].cure.startswith("add to `ch-run`: -b /r/lib")
    (told_by,) = [
        f.text for f in checkup.command(["apptainer", "exec", "img", "app"], {}) if f.subject == "environment"
    ]
    golden.says(told_by, "APPTAINER_BIND")
