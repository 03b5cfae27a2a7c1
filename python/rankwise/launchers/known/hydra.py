"""Hydra, the launcher of MPICH, Intel MPI, MVAPICH: `-env NAME value` before each program.

Seen with MPICH 4.0.2 and 5.0.2 and Intel MPI 2021.18: of several settings of one name the last `-env` of the
program counts, before any `-genv`; it also holds under -envnone, -genvnone and -envlist. (Intel drops `-genv`
under -envlist and -envnone, which is why `-genv` would not do.) Spawned processes get what `-genv` sets, and
nothing of `-env`.

MPICH's Hydra takes a host that comes back in its host file for another node, whose ranks then do without
shared memory. So where ranks of a host are not successive, the file names each host once, and -rankmap tells
the order. Intel MPI takes a host that comes back for the same node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rankwise.launchers.base import Answer, Delivery, Launcher, Preload, Program, World, names
from rankwise.launchers.option import Option
from rankwise.launchers.placing import (
    Distribution,
    Job,
    Relaunching,
    Written,
    binding_note,
    common_processors,
    is_off,
    lines,
)
from rankwise.mpi_libraries import Version

_WITH_VALUE = """
    arch bind-to binding bootstrap bootstrap-exec configfile cpu-bind demux dir env-file envexcl envlist
    errfile errfile-pattern f g genvexcl genvlist gpu-subdevs-per-proc gpus-per-proc grr gtool gtoolfile
    gwdir host hostfile hostlist hosts hosts-group iface launcher launcher-exec localhost machine
    machinefile machinelist machines map-by membind n nameserver np order-nodes outfile outfile-pattern
    output-from path perhost ppn prepend-pattern rankmap rmk rr s soft topolib tune umask usize wdir
"""
_FLAGS = """
    aps check_mpi dac debug disable-auto-cleanup disable-hostname-propagation disable-x
    enable-auto-cleanup enable-hostname-propagation enable-x envall envnone gdb genvall genvnone h help
    hybrid-hosts ilp64 info l mps nolocal pmi-port prepend-rank prepend-timestamp print-all-exitcodes
    print-rank-map profile prot silent-abort skip-launch-node trace v V verbose version
"""

# Of one word of a command (Linux: MAX_ARG_STRLEN).
_LONGEST_WORD = 131_071
_RANKMAP_SINCE = (4, 1)  # version of MPICH


def hostfile(job: Job) -> Written:
    """`HOST:RANKS`; and -rankmap if hosts are split, which is new in MPICH 4.1."""
    path = job.directory / "mpich.hosts"
    bindings = job.by_host()
    text = lines([f"{host}:{len(there)}" for host, there in bindings.items()])
    words, notes = ["mpiexec", "-f", str(path)], []
    if job.is_split():
        number = {host: place for place, host in enumerate(bindings)}
        order = ",".join(str(number[binding.host]) for binding in job.bindings)
        if len(order) > _LONGEST_WORD:
            note = "not available: the order of ranks exceeds the length of a command-line argument"
            return Written(path, "MPICH", text, note=note)
        words += ["-rankmap", order]
        notes.append("hosts are split: MPICH 4.1 or later")
    cpus = common_processors(bindings.values())
    if cpus:
        words += ["-bind-to", f"user:{','.join(map(str, cpus))}"]
    else:
        notes.append(binding_note(bindings.values()))
    return Written(path, "MPICH", text, (*words, "-n", job.size, *job.program), note="; ".join(notes))


def machinefile(job: Job) -> Written:
    """`HOST:RANKS`, and I_MPI_PIN_PROCESSOR_LIST with an entry for the first, second, ... rank of a node."""
    path = job.directory / "intel.machines"
    text = lines([f"{host}:{count}" for host, count in job.runs()])
    nodes = list(job.by_host().values())
    cpus = common_processors(nodes)
    words = ["mpiexec", "-machinefile", str(path)]
    if cpus:
        words += ["-genv", "I_MPI_PIN", "1", "-genv", "I_MPI_PIN_PROCESSOR_LIST", ",".join(map(str, cpus))]
    note = "" if cpus else binding_note(nodes)
    return Written(path, "Intel MPI", text, (*words, "-n", job.size, *job.program), note=note)


class Mpich(Relaunching):
    """mpiexec of MPICH, from version 4.1."""

    name = "MPICH"
    choice = "mpich"
    files = (hostfile,)
    label = "MPICH"
    placing = names(
        """f host hostfile hostlist hosts hosts-group machine machinefile machinelist machines map-by ppn
        perhost rr grr rankmap order-nodes nolocal skip-launch-node"""
    )
    binding = names("bind-to binding cpu-bind")
    distributions = (
        Distribution(("-ppn", "1"), "cyclic"),
        *(Distribution(("-bind-to", "core", "-map-by", part)) for part in ("core", "socket", "numa")),
    )
    distributing = names("ppn perhost rr grr map-by bind-to binding rankmap")

    def hosts_only(self, options: Sequence[Option], environment: Mapping[str, str]) -> bool:  # noqa: ARG002
        """By -bind-to none."""
        return any(o.name in self.binding and is_off(o.value) for o in options)


class OldMpich(Mpich):
    """Before -rankmap."""

    name = "this MPICH"
    needs_whole_hosts = True


class Intel(Mpich):
    """mpiexec of Intel MPI."""

    name = "Intel MPI"
    choice = "intel"
    files = (machinefile,)
    label = "Intel MPI"
    distributions = (
        Distribution(("-ppn", "1"), "cyclic"),
        *(
            Distribution(("-genv", "I_MPI_PIN_ORDER", order))
            for order in ("compact", "scatter", "spread", "bunch")
        ),
    )
    distributing = names("ppn perhost rr grr")

    def hosts_only(self, options: Sequence[Option], environment: Mapping[str, str]) -> bool:
        """By I_MPI_PIN, too."""
        pin_values = [_assigned(o)[1] for o in options if _assigned(o)[0] == "I_MPI_PIN"]
        pin = pin_values[-1] if pin_values else environment.get("I_MPI_PIN", "")
        return is_off(pin) or super().hosts_only(options, environment)

    def distributes(self, option: Option) -> bool:
        """As for all; and the order of pinning."""
        return _assigned(option)[0] == "I_MPI_PIN_ORDER" or super().distributes(option)

    def replaces(self, option: Option, *, binds: bool) -> bool:
        """As for all; and the settings that bind."""
        return (binds and _assigned(option)[0].startswith("I_MPI_PIN")) or super().replaces(
            option, binds=binds
        )


def _assigned(option: Option, *names: str) -> tuple[str, str]:
    """Return the variable that an option of these names sets, and its value."""
    if option.name not in (names or ("env", "genv")):
        return "", ""
    variable, _, value = "=".join(option.words[1:]).partition("=")
    return variable, value


class Hydra(Launcher):
    """mpiexec, mpirun and mpiexec.hydra of MPICH and related libraries."""

    name = "hydra"
    order = 20
    commands = ("mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra", "mpirun.hydra")
    answers = (
        Answer("MPICH", re.compile(r"HYDRA build details:\s+Version:\s+(\S+)"), "mpich"),
        Answer("Intel MPI", re.compile(r"Intel\(R\) MPI Library.*?Version (\S+)", re.DOTALL), "mpich"),
    )
    values = dict.fromkeys(_WITH_VALUE.split(), 1)
    flags = names(_FLAGS)
    from_file = names("configfile")
    placings = (Mpich(), Intel())
    not_started = re.compile(r"execvp error", re.IGNORECASE)
    node_apart = (re.compile(r"EXIT STRING"), re.compile(r"PID \d+ RUNNING AT (\S+)"))
    rank = ("PMI_RANK",)
    size = ("PMI_SIZE",)
    local_rank = ("MPI_LOCALRANKID",)
    on_node = ("MPI_LOCALNRANKS",)
    # MPICH's processes have no variable that is unique to a launch. But the proxy that started them has the
    # port of its mpiexec on its command line, the same on every node. All spawned processes
    # share it; the reader separates one spawning from the next by its time.
    worlds = (
        World("PMI_JOBID"),
        World("I_MPI_HYDRA_UUID", second="HYDRA_BSTRAP_PGID", missing="0", prefix="hydra "),
        World(option="--control-port", spawned="PMI_SPAWNED", prefix="hydra "),
    )

    def arity(self, word: str, following: Sequence[str]) -> int:
        """As for all, but `-env` and `-genv` take `NAME value` or `NAME=value`."""
        if word.lstrip("-") in ("env", "genv"):
            return 1 if following and "=" in following[0] else 2
        return super().arity(word, following)

    def placing(self, command: str, version: Version) -> Mpich | None:
        """By a host file; what starts a program of MPICH is not known where no command is."""
        if not command:
            return None
        if version.label == "Intel MPI":
            return Intel()
        return Mpich() if version.parts >= _RANKMAP_SINCE else OldMpich()

    def setting(self, variable: str, value: str) -> tuple[str, ...]:
        """By `-genv`."""
        return "-genv", variable, value

    def deliver(
        self,
        programs: Sequence[Sequence[Option]],
        preload: Preload,
        environment: Mapping[str, str],  # noqa: ARG002 - hydra has no variable that would stand in the way
        theirs: str,
    ) -> Delivery:
        """By `-env` as the last options of each program, and `-genv` for what these may spawn."""
        for_all = _setting("genv", (option for options in programs for option in options), theirs)
        delivered: list[Program] = []
        for options in programs:
            own = _setting("env", options, for_all)
            ours = _options("-env", preload.variables(own))
            if not delivered:
                ours = _options("-genv", preload.variables(for_all)) + ours
            delivered.append(Program((*options, *ours), own))
        return Delivery(tuple(delivered), how="-env NAME value before each program")


def _options(name: str, variables: Mapping[str, str]) -> list[Option]:
    return [Option((name, variable, value)) for variable, value in variables.items()]


def _setting(name: str, options: Iterable[Option], default: str) -> str:
    """Return the user's LD_PRELOAD, as the last `-env` or `-genv` sets it."""
    for option in options:
        variable, value = _assigned(option, name)
        default = value if variable == "LD_PRELOAD" else default
    return default


LAUNCHER = Hydra()
