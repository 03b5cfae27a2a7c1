"""Screens of all else: machines, places, networks, measurements, tuning, running jobs, help, complaints."""

from __future__ import annotations

import re
from pathlib import Path
from unittest import mock

import fake_mpi
import pytest
import test_guidelines as guidelines
import test_latency_diff
import test_latency_show
import test_machine_command as machines
import test_optimize as optimizing
import test_parameters_race as parameters
import test_recheck as rechecking
import test_tuning as tuning
from live import running, set_time, write
from profiles import write_profile, write_traffic
from screens_made import Screen, drawn, seen
from settings_made import rule, settings
from synthetic import PART, small_world
from test_live import hanging
from test_map import ring

from rankwise.__main__ import VERBS
from rankwise.latency.formats import own
from rankwise.launch import plan
from rankwise.render.terminal.guidelines import print_guidelines
from rankwise.render.terminal.optimization import print_optimized
from rankwise.render.terminal.parameters import print_parameters
from rankwise.render.terminal.recheck import print_rechecked
from rankwise.render.terminal.tuning import print_tuned
from rankwise.trials.plan import Aim
from rankwise.trials.run import Interrupted, OutOfTime
from rankwise.tuning import tune as whole
from rankwise.tuning.effect import Effect, Effects
from rankwise.tuning.target import targets

FABRICS = Path(__file__).parents[1] / "fabrics"
MIB = 1 << 20
SECOND_WORDS = ("latency measure", "latency show", "latency diff", "latency plot", "machine show")
SECOND_WORDS += ("machine from-hwloc", "machine from-latency", "machine from-slurm", "machine from-fabric")
SECOND_WORDS += ("links show", "links plot", "tune recheck")


def _help(_: Path) -> str:
    return seen("--help") + "".join(seen(*verb.split(), "--help") for verb in (*VERBS, *SECOND_WORDS))


def _errors(directory: Path) -> str:
    write_profile(directory / "a.rankwise")
    (directory / "damaged.rankwise").write_bytes(b"SQLite format 3\0" + b"\1" * 100)
    (directory / "text.rankwise").write_text("no profile")
    (directory / "bad.json").write_text("{")
    (directory / "other.json").write_text('{"format": "other", "version": 1}')
    (directory / "later.json").write_text('{"format": "rankwise-machine", "version": 99, "levels": []}')
    words = """show none.rankwise|show damaged.rankwise|show text.rankwise|show a.rankwise --wrong
        |show a.rankwise --rank 1|show a.rankwise --by call --rank 9|show a.rankwise --by call --rank x
        |show a.rankwise --by call --call Nothing|show a.rankwise --by call --communicator none
        |show a.rankwise --by call --region none|show a.rankwise --by call --node none
        |show a.rankwise --by call --size 9-1|show a.rankwise --by call --size x
        |show a.rankwise --call Isend|show a.rankwise --kind all|show a.rankwise --limit -1
        |explain nothing|explain none.rankwise|diff a.rankwise|diff a.rankwise none.rankwise|run|run a
        |run -- nothing|run -o a.rankwise -- true|export a.rankwise --format csv -o a.rankwise
        |report a.rankwise -o a.rankwise|report none.rankwise
        |top none|collect none|recover none|latency show none.json|latency show bad.json
        |latency show other.json|latency diff bad.json bad.json|machine show none.json|machine show bad.json
        |machine show other.json|machine show later.json|map none.rankwise|map a.rankwise --machine bad.json
        |map predict a.rankwise --shape x|map a.rankwise --pairs 3|map verify a.rankwise|links a.rankwise
        |links a.rankwise --fabric none|links a.rankwise --fabric bad.json|tune|tune none.rankwise
        |tune a.rankwise
        |tune recheck --sizes 8|tune recheck none.json -- mpirun -n 4 ./app|optimize
        |optimize --budget x -- mpirun -n 4 ./app
        |link-flags --wrong"""
    return _each(words)


def _misused(directory: Path) -> str:
    """What argparse says of words that it does not know."""
    write_profile(directory / "a.rankwise")
    return _each(
        """|nothing|show|show a.rankwise --by nothing|show a.rankwise --by call --matrix
        |export a.rankwise --format nothing|plot a.rankwise|plot a.rankwise --what nothing
        |latency diff bad.json|links a.rankwise|env --wrong"""
    )


def _each(commands: str) -> str:
    return "".join(seen(*command.split()) for command in commands.replace("\n", "").split("|"))


def _machine(directory: Path) -> str:
    outlier = {"kind": "slow node", "where": "tux3", "hosts": ["tux3"], "what": "bandwidth", "size": MIB}
    outlier |= {"value": 950, "expected": 11000, "level": "node"}
    source = {"kind": "slurm", "what": "what is around nodes", "file": "topology.conf", "date": "2026-01-02"}
    (directory / "m.json").write_text(machines.document(outliers=[outlier], sources=[source]))
    for name in ("two-packages.xml", "tree.conf"):
        (directory / name).write_bytes((machines.MACHINES / name).read_bytes())
    text = (
        seen("machine", "show", "m.json")
        + seen("machine", "show", "m.json", "--limit", "2")
        + seen("machine", "from-hwloc", "two-packages.xml", "-o", "h.json")
        + seen("machine", "show", "h.json")
        + seen("machine", "from-slurm", "tree.conf", "-o", "s.json")
        + seen("machine", "show", "s.json")
    )
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:+]+", "TODAY", text)


def _doctor(directory: Path) -> str:
    fake_mpi.launcher(directory / "bin" / "mpirun", "mpirun (Open MPI) 4.1.4")
    fake_mpi.script(directory / "script", "exit 0")
    library = (
        directory / "librankwise.so"
    )  # where it is installed, the length of its path would decide the width
    library.symlink_to(plan.library())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankwise.launch.checkup.library", lambda: library)
        patch.setenv("PATH", "bin")
        text = seen("doctor")
        text += seen("doctor", "--", "mpirun", "-n", "4", "./none")
        text += seen("doctor", "--", "mpirun", "-n", "4", "./script")
        text += seen("doctor", "--", "srun", "-n", "4", "./script")
        patch.setenv("PATH", "empty")
        text += seen("doctor")
    text = re.sub(r"(?<=  )\S+ on \S+(?=\n)", "VERSION on MACHINE", text)
    return re.sub(r"/\S*/librankwise.so", "/RANKWISE/librankwise.so", text)


def _map(directory: Path) -> str:
    write_traffic(directory / "ring.rankwise", [f"n{rank % 4}" for rank in range(8)], ring(8))
    write_traffic(directory / "best.rankwise", [f"n{rank // 2}" for rank in range(8)], ring(8))
    return (
        seen("map", "ring.rankwise")
        + seen("map", "ring.rankwise", "-v")
        + seen("map", "ring.rankwise", "-o", "new")
        + seen("map", "best.rankwise")
        + seen("map", "predict", "ring.rankwise", "--shape", "4x2")
        + seen("map", "predict", "ring.rankwise", "--shape", "4x2,2x2x2,1x4,2x8")
    )


def _links(directory: Path) -> str:
    hosts = [f"node{number:04}" for number in range(1, 17)]
    messages = [(a, b, "point-to-point", 1, MIB) for a in range(16) for b in range(16) if a != b]
    write_traffic(directory / "all.rankwise", hosts, messages)
    (directory / "small").symlink_to(FABRICS / "small-ftree")
    words = ("links", "all.rankwise", "--fabric", "small")
    by = [seen(*words, "--by", name) for name in ("class", "link", "switch", "flow")]
    return seen(*words) + seen(*words, "-v") + "".join(by)


def _latency(directory: Path) -> str:
    machine = test_latency_show.machine
    own.write(machine(test_latency_show.BLOCKS), directory / "a.json", force=True)
    odd = machine(test_latency_show.BLOCKS, {(1, 20): 5.0}, slow_host="node2")
    own.write(odd, directory / "odd.json", force=True)
    own.write(test_latency_diff.machine(["a"] * 8 + ["b"] * 8, 1), directory / "before.json", force=True)
    later = test_latency_diff.machine(["a"] * 8 + ["b"] * 8, 2, between=1.5)
    own.write(later, directory / "after.json", force=True)
    return (
        seen("latency", "show", "a.json")
        + seen("latency", "show", "odd.json")
        + seen("latency", "show", "odd.json", "-v")
        + seen("latency", "diff", "before.json", "after.json")
        + seen("latency", "diff", "before.json", "before.json")
        + seen("machine", "from-latency", "a.json", "-o", "m.json")
        + seen("machine", "show", "m.json")
    )


def _top(_: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        time = set_time(patch, 10.0)
        text = seen("top", "--once", str(write(Path("run"), hanging())))
        world = [running(process, 3.0, "MPI_Barrier", 4.0, PART) for process in small_world()]
        running(world[2], 3.0)
        time.seconds = 40.0
        text += seen("top", "--once", str(write(Path("stuck"), world)))
        ended = small_world()
        return text + seen("top", "--once", str(write(Path("ended"), [*ended[:3], world[3]])))


def _tune(directory: Path) -> str:
    shown = "changed", "other"

    def tuned(name: str, gain: float, us: dict[str, float], *effect: object, scatter: float = 0.05) -> str:
        program, racer = tuning.Program(directory, gain), tuning.Calls(us)
        program.scatter = scatter
        (directory / name).mkdir()
        chosen = targets([tuning._cell(), tuning._cell("MPI_Bcast", 64, tunable_seconds=0.5)])
        with mock.patch.object(
            whole,
            "effects",
            lambda *given: Effects([Effect(tuned_rule, *(effect or shown)) for tuned_rule in given[2]], []),  # type: ignore[arg-type]
        ):
            out = whole.tune(tuning._request(directory / name, racer, chosen), program, lambda _: None)
        return drawn(
            f"rankwise tune {name}.rankwise -- mpirun ./app",
            lambda file: print_tuned(out, chosen, 100.0, [Path(f"{name}.json")] * (name == "faster"), file),
        )

    return (
        tuned("faster", 1.5, tuning.FAST)
        + tuned("no-gain", 1.0, tuning.FAST)
        + tuned("same-calls", 1.5, tuning.FAST, "same calls", "same", ("basic_linear",), ("basic_linear",))
        + tuned("asked", 1.5, tuning.FAST, "changed", "same", ("pairwise",), ("basic_linear",))
        + tuned("too-short", 1.2, tuning.FAST, "not visible", "same", scatter=0.4)
        + tuned("nothing-faster", 1.5, {"default": 100.0, "linear": 130.0, "ring": 120.0})
    )


def _parameters(directory: Path) -> str:
    text = ""
    for name, factor in (("faster", 0.7), ("same", 1.0)):
        (directory / name).mkdir()
        program = parameters.Program({("OMPI_MCA_limit", "16384"): factor})
        out = parameters.race(directory / name, program, parameters.LIMIT)
        text += drawn(
            f"rankwise tune parameters {name}.rankwise", lambda file, o=out: print_parameters(o, file)
        )
    return text


def _recheck(_: Path) -> str:
    def of(racer: rechecking.Calls, *rules: object, asked: bool = False, untranslatable: str = "") -> str:
        out = rechecking._recheck(racer, settings(*rules, environment={"A": "b"}), lambda _: untranslatable)  # type: ignore[arg-type]
        written = [Path("new.json")] * (asked and out.settings is not None)
        return drawn(
            "rankwise tune recheck s.json -- mpirun ./new",
            lambda file: print_rechecked(out, Path("s.json"), written, asked=asked, file=file),
        )

    text = of(rechecking.Calls(), rule("Bcast", 2, 8, 24), rule("Bcast", 2, 32, 64))
    text += of(rechecking.Calls(), rule("Bcast", 2), asked=True)
    text += of(rechecking.Calls(1.0), rule("Bcast", 2))
    text += of(rechecking.Calls(0.5), rule("Bcast", 2), asked=True)
    text += of(rechecking.Calls(drift=2.5), rule("Bcast", 2))
    text += of(rechecking.Calls(), rule("Bcast", 2, 0, 8, "z"), rule("Scan", 2), rule("Bcast", 2, 9, 9))
    text += of(rechecking.Calls(), rule("Bcast", 2), untranslatable="no such file")
    for end in (Interrupted(), OutOfTime()):
        racer = rechecking.Calls()
        racer.ends = end
        text += of(racer, rule("Bcast", 2))
    return text


def _guidelines(_: Path) -> str:
    def of(calls: guidelines.Calls, *own_offers: str) -> str:
        out = guidelines._compare(calls)
        return drawn(
            "rankwise tune guidelines -- mpirun -n 4", lambda file: print_guidelines(out, own_offers, file)
        )

    ended = guidelines.Calls(guidelines._slow_allreduce)
    ended.ends_after, ended.end = 5, OutOfTime()
    return of(guidelines.Calls(guidelines._slow_allreduce)) + of(guidelines.Calls()) + of(ended)


def _optimize(_: Path) -> str:
    def of(
        name: str, world: optimizing.World, steps: list[tuple[str, float]], budget: float | None = None
    ) -> str:
        Path(name).mkdir()
        out = optimizing.Job(Path(name))(world, steps, Aim(0.95, 0.03), budget)
        written = [Path("app.json")] * (out.settings is not None and name == "written")
        return drawn(
            f"rankwise optimize -- mpirun app   # {name}", lambda file: print_optimized(out, written, file)
        )

    world = optimizing.World
    three = [("a", 10.0), ("b", 40.0), ("c", 30.0)]
    return (
        of("gain", world(factors={"a": 0.8, "b": 1.0, "c": 0.7}), three)
        + of("written", world(factors={"a": 0.8}), three[:1])
        + of("nothing", world(), three)
        + of("short", world(factors={"a": 0.8, "b": 0.7}), three, 45.0)
        + of("interrupted", world(interrupt_at=5), three)
        + of("fails", world(fails_with="b"), three)
    )


SCREENS: dict[str, Screen] = {
    "help": _help,
    "errors": _errors,
    "doctor": _doctor,
    "help-misused": _misused,
    "machine": _machine,
    "map": _map,
    "links": _links,
    "latency": _latency,
    "top": _top,
    "tune": _tune,
    "parameters": _parameters,
    "recheck": _recheck,
    "guidelines": _guidelines,
    "optimize": _optimize,
}
