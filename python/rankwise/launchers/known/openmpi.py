"""Open MPI's mpirun (ORTE in 4.x, PRRTE in 5.x): `-x NAME=value`.

Seen with 4.1.4 and 5.0.11: in 4.x `-x` counts only for the program before whose `:` it stands, in 5.x for
all; of two `-x` for one name 4.x takes the last, 5.x the first. Hence each program gets its own, and the
user's `-x LD_PRELOAD` goes. 4.x aborts the launch when `-x` meets the parameter mca_base_env_list, hence a
user's list is appended to instead. Without either, both hand the environment only to the ranks on the
launching host.

The numbers in rankfiles are logical. A line of a rankfile without a core is refused, and `slot=*` is core 0;
so where cores are not known, the sequential mapper takes the place of rankfiles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.errors import RankwiseError
from rankwise.launchers.base import Answer, Delivery, Launcher, Preload, Program, World, names
from rankwise.launchers.option import Option
from rankwise.launchers.placing import Distribution, Job, Relaunching, Written, is_off, lines
from rankwise.mpi_libraries import Version

if TYPE_CHECKING:
    from rankwise.launchers.binding import Binding

_LIST = "mca_base_env_list"
_MCA = ("mca", "gmca", "omca", "gomca")

_WITH_VALUE = """
    am amca app bind-to c cf cartofile cpu-list cpu-set cpus-per-proc cpus-per-rank debugger
    default-hostfile display dvm-uri fwd-environment H h-file host hnp hostfile launch-agent machinefile
    map-by max-restarts max-vm-size n N np npernode npersocket ompi-server output output-filename path
    personality ppr prefix preload-files rank-by report-events report-pid report-uri rf rankfile
    runtime-options spawn-timeout stdin stream-buffering timeout tune wd wdir x xml-file xterm add-host
    add-hostfile app-pmix-prefix pmix-prefix forward-signals gpu-support keepalive pset singleton tmpdir
    unset-env num-connect-retries dvm-hint
"""
_FLAGS = """
    allow-run-as-root bind-to-core bind-to-socket bycore bynode byslot continuous d debug debug-daemons
    debug-daemons-file debug-devel disable-recovery display-allocation display-devel-allocation
    display-devel-map display-diffable-map display-map display-topo do-not-launch do-not-resolve dvm
    enable-instant-on-support enable-recovery fwd-mpirun-port get-stack-traces hetero-nodes
    index-argv-by-rank leave-session-attached merge-stderr-to-stdout no-app-prefix no-ready-msg nolocal
    nooversubscribe noprefix novm output-proctable oversubscribe pernode q quiet report-bindings
    report-child-jobs-separately report-state-on-timeout s preload-binary set-cwd-to-session-dir set-sid
    show-progress stop-in-app stop-in-init stop-on-exec tag-output timestamp-output tv use-hwthread-cpus
    use-regexp v verbose V version xml
"""

_HOSTS = "openmpi.hosts"
_PARAMETERS = ("mca", "gmca", "omca", "gomca", "prtemca", "gprtemca")
_BINDING_POLICIES = ("hwloc_base_binding_policy", "hwloc_default_binding_policy")
_SEVERAL_PROCESSORS = ("cpus-per-proc", "cpus-per-rank")


def _mapped(package: str) -> tuple[Distribution, ...]:
    """Return what --map-by offers.

    Args:
        package: its word for one.
    """
    orders = {"core": "block", "node": "cyclic", package: "", "numa": ""}
    return tuple(Distribution(("--map-by", place), order) for place, order in orders.items())


def rankfile4(job: Job) -> Written:
    """`rank R=HOST slot=PACKAGE:CORE`."""
    path = job.directory / "openmpi4.ranks"
    return _by_rankfile(job, "Open MPI 4", path, "--rankfile", str(path))


def rankfile5(job: Job) -> Written:
    """The same lines, as a modifier of --map-by; the hosts and their slots are not taken from them."""
    path = job.directory / "openmpi5.ranks"
    hosts = ("--hostfile", str(job.directory / _HOSTS))
    return _by_rankfile(job, "Open MPI 5, PRRTE", path, *hosts, "--map-by", f"rankfile:file={path}")


def sequential(job: Job) -> Written:
    """The host of each rank, one a line; versions 4 and 5."""
    return _by_hosts(job, "Open MPI, hosts", job.directory / _HOSTS, "hosts only")


def _by_rankfile(job: Job, launcher: str, path: Path, *options: str) -> Written:
    entries = []
    for binding in job.bindings:
        slot = _slot(binding)
        if slot is None:
            return _by_hosts(job, launcher, path, "hosts only: the cores are unknown")
        entries.append(f"rank {binding.rank}={binding.host} slot={slot}")
    return Written(path, launcher, lines(entries), _command(job, *options))


def _by_hosts(job: Job, launcher: str, path: Path, note: str) -> Written:
    words = _command(job, "--hostfile", str(path), "--map-by", "seq")
    return Written(path, launcher, job.hosts, words, note=note)


def _command(job: Job, *options: str) -> tuple[str, ...]:
    return ("mpirun", "-np", job.size, *options, *job.program)


def _slot(binding: Binding) -> str | None:
    if binding.package >= 0 and binding.core_of_package >= 0:
        return f"{binding.package}:{binding.core_of_package}"
    return str(binding.core) if binding.core >= 0 else None


class OpenMPI4(Relaunching):
    """mpirun of Open MPI up to version 4."""

    name = "Open MPI 4"
    choice = "openmpi4"
    files = (rankfile4, sequential)
    label = "Open MPI"
    placing = names(
        """host H hostfile machinefile default-hostfile h-file add-host add-hostfile map-by rank-by rf
        rankfile N npernode npersocket pernode bynode byslot bycore ppr nolocal"""
    )
    binding = names("bind-to bind-to-core bind-to-socket cpu-list cpu-set use-hwthread-cpus")
    distributions = _mapped("socket")
    distributing = names("map-by rank-by npernode npersocket pernode bynode byslot bycore ppr")

    def hosts_only(self, options: Sequence[Option], environment: Mapping[str, str]) -> bool:
        """By --bind-to none, or the parameter behind it."""
        policies = [option.value for option in options if option.name == "bind-to"]
        policies += [o.words[2] for o in options if _parameter(o) in _BINDING_POLICIES]
        policies += [
            environment.get(f"{prefix}_MCA_{p}", "") for prefix in ("OMPI", "PRTE") for p in _BINDING_POLICIES
        ]
        return any(map(is_off, policies))

    def check(self, options: Sequence[Option]) -> None:
        """Refuse several processors per rank: files of places can't express them."""
        for option in options:
            several = option.name in _SEVERAL_PROCESSORS or ":pe=" in option.value.lower().replace(",", ":")
            if several:
                raise RankwiseError(
                    f"{' '.join(option.words)} gives each rank several processors, which can't be combined "
                    "with a placement: remove it"
                )

    def replaces(self, option: Option, *, binds: bool) -> bool:
        """As for all; and parameters of what maps ranks."""
        parameter = _parameter(option)
        if parameter.startswith("rmaps") or parameter.endswith("_default_hostfile"):
            return True
        return (binds and parameter in _BINDING_POLICIES) or super().replaces(option, binds=binds)

    def binds(self, option: Option) -> bool:
        """By a rankfile."""
        return option.name == "rankfile" or option.value.startswith("rankfile:")


class OpenMPI5(OpenMPI4):
    """mpirun of Open MPI 5, prterun."""

    name = "Open MPI 5"
    choice = "openmpi5"
    files = (rankfile5, sequential)
    distributions = _mapped("package")


def _parameter(option: Option) -> str:
    """Return the name of the MCA parameter that the option sets, '' if it is none."""
    return option.words[1] if option.name in _PARAMETERS and len(option.words) == 3 else ""


class OpenMPI(Launcher):
    """mpirun, mpiexec, orterun of Open MPI; prterun and prun of PRRTE."""

    name = "openmpi"
    order = 10
    commands = ("mpirun.openmpi", "mpiexec.openmpi", "prterun", "prun", "orterun", "ompirun")
    answers = (Answer("Open MPI", re.compile(r"\((?:OpenRTE|Open MPI|PRRTE)\) (\S+)"), "openmpi"),)
    values = dict.fromkeys(_WITH_VALUE.split(), 1) | dict.fromkeys(
        [*_MCA, "prtemca", "pmixmca", "gpmixmca", "gprtemca", "set-env", "append-env", "prepend-env"], 2
    )
    flags = names(_FLAGS)
    counting = names("n np c")
    from_file = names("app")
    placings = (OpenMPI4(), OpenMPI5())
    not_started = re.compile("executable", re.IGNORECASE)
    rank = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK")
    size = ("OMPI_COMM_WORLD_SIZE",)
    local_rank = ("OMPI_COMM_WORLD_LOCAL_RANK",)
    on_node = ("OMPI_COMM_WORLD_LOCAL_SIZE",)
    worlds = (World("PMIX_NAMESPACE"),)

    def placing(self, command: str, version: Version) -> OpenMPI4:
        """By a rankfile."""
        # prterun prints the version of PRRTE.
        is_5 = command in ("prterun", "prun") or version.parts >= (5,)
        return OpenMPI5() if is_5 else OpenMPI4()

    def setting(self, variable: str, value: str) -> tuple[str, ...]:
        """By `-x`."""
        return "-x", f"{variable}={value}"

    def deliver(
        self,
        programs: Sequence[Sequence[Option]],
        preload: Preload,
        environment: Mapping[str, str],
        theirs: str,
    ) -> Delivery:
        """By `-x` before each program, or by the user's own mca_base_env_list.

        Of Open MPI 5, spawned processes get neither: they have the environment of mpirun itself, on its node.
        """
        inherited = preload.variables(theirs)
        if any(_is_list(option) for options in programs for option in options):
            listed = tuple(_with_list(options, preload, theirs) for options in programs)
            return Delivery(listed, inherited, how=f"appended to --mca {_LIST}")
        variable = f"OMPI_MCA_{_LIST}"
        if users_list := environment.get(variable):
            theirs = _listed(users_list, theirs)
            return Delivery(
                tuple(Program(tuple(options), theirs) for options in programs),
                {**inherited, variable: _joined(users_list, preload.variables(theirs))},
                f"appended to {variable}",
            )
        given = tuple(_with_x(options, preload, theirs) for options in programs)
        return Delivery(given, inherited, how="-x NAME=value before each program")

    def deliver_to_script(
        self, preload: Preload, environment: Mapping[str, str], theirs: str, version: str
    ) -> Delivery:
        """By a list of variables.

        4.x has mca_base_env_list_internal, which it lets stand beside `-x`; 5.x ignores that and lets
        mca_base_env_list stand beside `-x`, for which 4.x would abort.
        """
        variable = f"OMPI_MCA_{_LIST}"
        users_list = environment.get(variable, "")
        if users_list or version.startswith("5."):
            listed = {variable: _joined(users_list, preload.variables(_listed(users_list, theirs)))}
        else:
            listed = {f"{variable}_internal": _joined("", preload.variables(theirs))}
        return Delivery((), listed, "Open MPI's list of variables for other hosts")


def _with_x(options: Sequence[Option], preload: Preload, theirs: str) -> Program:
    kept = []
    for option in options:
        name, equals, value = option.value.partition("=")
        if option.name == "x" and name == "LD_PRELOAD":
            theirs = value if equals else theirs  # `-x LD_PRELOAD` hands on the launcher's own
        else:
            kept.append(option)
    ours = [Option(LAUNCHER.setting(name, value)) for name, value in preload.variables(theirs).items()]
    return Program((*kept, *ours), theirs)


def _is_list(option: Option) -> bool:
    return option.name in _MCA and len(option.words) == 3 and option.words[1] == _LIST


def _with_list(given: Sequence[Option], preload: Preload, theirs: str) -> Program:
    options: list[Option] = []
    for option in given:
        if _is_list(option):
            theirs = _listed(option.words[2], theirs)
            option = option._replace(
                words=(*option.words[:2], _joined(option.words[2], preload.variables(theirs)))
            )
        options.append(option)
    return Program(tuple(options), theirs)


def _entries(users_list: str) -> Sequence[str]:
    return [entry.strip() for entry in users_list.split(";") if entry.strip()]


def _listed(users_list: str, theirs: str) -> str:
    """LD_PRELOAD as a list sets it."""
    values = [e.partition("=")[2] for e in _entries(users_list) if e.startswith("LD_PRELOAD=")]
    return values[-1] if values else theirs


def _joined(users_list: str, variables: Mapping[str, str]) -> str:
    kept = [e for e in _entries(users_list) if e.partition("=")[0] not in variables]
    return ";".join([*kept, *(f"{name}={value}" for name, value in variables.items())])


LAUNCHER = OpenMPI()
