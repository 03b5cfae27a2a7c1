"""Open MPI.

Its rules are a file for its component coll/tuned, in the classic grammar of versions 4 and 5. The file has a
list of communicator sizes for each collective, and a list of message sizes for each of these. In both, the
library takes the last entry that is not above the size of the call. Below the first communicator size it
takes the first entry; the first message size has to be 0. An algorithm 0 leaves the choice to the library, so
entries with algorithm 0 on both sides guard what must not change. If the library can't read something, it
silently ignores the whole file.

Its parameters are set by variables OMPI_MCA_..., by options of its launcher, and in files.

Sources: coll_tuned_dynamic_file.c, coll_tuned_dynamic_rules.c and coll_tuned_decision_dynamic.c of Open MPI
4.1 and 5.0; all seen with 4.1.4 and 5.0.11 (tests/mpi/test_settings.py).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine
from rankwise.launchers.option import Option
from rankwise.mpi_libraries import Version, version_of
from rankwise.tuning.libraries.base import COMMAND_LINE, Ask, Assignment, Tool, TunableLibrary, variables_of
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.parameter import Parameter
from rankwise.tuning.parameters.thresholds import LARGEST_EAGER, Limit, Sent, raised, rendezvous
from rankwise.tuning.racing.offers import PROCEDURES, Choice, Offers, Variable
from rankwise.tuning.settings.grouped import grouped
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Algorithm, Rule
from rankwise.tuning.settings.translation import Translation
from rankwise.tuning.settings.words import comment

LABEL = "Open MPI"

_MCA = "OMPI_MCA_"
_PARAMETER_OPTIONS = ("mca", "gmca", "omca", "gomca")
_FILE_OPTIONS = ("tune", "am")
_LISTS = (f"{_MCA}mca_base_env_list", f"{_MCA}mca_base_env_list_internal")
_FILES = f"{_MCA}mca_base_param_files"
_MOST_BYTES = 1 << 20

# It can be set in the environment only before 5.0.7.
_DYNAMIC = "coll_tuned_use_dynamic_rules"
_HAN, _TUNED = "coll_han_priority", "coll_tuned_priority"

_PML = f"{_MCA}pml"
_WITHIN_NODE = ("sm", "vader")
_BETWEEN_NODES = ("tcp", "ofi", "uct", "openib", "usnic", "ugni", "portals4")

_PMLS = ("ob1", "ucx", "cm", "yalla")
_RENAMED = (
    ("btl_sm_", "btl_vader_"),
    ("btl_vader_", "btl_sm_"),
)  # shared memory is vader in 3 and 4, sm in 5

_IN_ORDER = {
    "MPI_Allreduce": frozenset({"basic_linear", "nonoverlapping", "recursive_doubling", "rabenseifner"}),
    "MPI_Reduce": frozenset({"linear", "in-order_binary", "rabenseifner"}),
    "MPI_Reduce_scatter": frozenset({"non-overlapping", "butterfly"}),
    "MPI_Reduce_scatter_block": frozenset(
        {"basic_linear", "recursive_doubling", "recursive_halving", "butterfly"}
    ),
    "MPI_Scan": frozenset({"linear", "recursive_doubling"}),
    "MPI_Exscan": frozenset({"linear", "recursive_doubling"}),
}
"""Algorithms that keep the order of the operands, or are not taken where it matters. The others silently
compute something else: 4.1 and 5.0, measured (tests/mpi/test_tuning_gate.py)."""

_NUMBERS: Mapping[str, int] = {
    "MPI_Allgather": 0,
    "MPI_Allgatherv": 1,
    "MPI_Allreduce": 2,
    "MPI_Alltoall": 3,
    "MPI_Alltoallv": 4,
    "MPI_Barrier": 6,
    "MPI_Bcast": 7,
    "MPI_Exscan": 8,
    "MPI_Gather": 9,
    "MPI_Reduce": 11,
    "MPI_Reduce_scatter": 12,
    "MPI_Reduce_scatter_block": 13,
    "MPI_Scan": 14,
    "MPI_Scatter": 15,
}
"""Of collectives in the file."""

_OF_ALL_BLOCKS = {"MPI_Allgather", "MPI_Alltoall", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"}
"""The library's size is that of all processes' blocks, a profile's that of a single block."""

_WHOLE = {
    "MPI_Alltoallv",  # size 0 for any message
    "MPI_Barrier",
    "MPI_Exscan",  # the size of one element for each process
    "MPI_Scan",
    "MPI_Gather",  # by arguments that are not significant on all processes
    "MPI_Scatter",
}
_CHAINS = (("MPI_Bcast", 2), ("MPI_Reduce", 2))
"""Algorithms that use the column after their number: how many chains."""
_FANOUT = 4  # coll_tuned_init_chain_fanout, which holds where variables choose them

_DEFAULT = (0, 0, 0)


def message_size(procedure: str, size: int, processes: int) -> int:
    """Return the size of a call as the library computes it to find a rule.

    Args:
        procedure: such as MPI_Allgather.
        size: bytes, as a profile has it.
        processes: of the communicator.
    """
    if procedure in _WHOLE:
        return 0
    return size * processes if procedure in _OF_ALL_BLOCKS else size


def rules_file(rules: Sequence[Rule]) -> str:
    """Return the text of a file that carries out these rules and changes nothing else.

    Raises:
        RankwiseError: a rule is impossible, or rules contradict each other.
    """
    collectives = grouped(rules, _NUMBERS, _WHOLE, LABEL)
    lines = [f"{len(collectives)}  # collectives"]
    for procedure in sorted(collectives, key=_NUMBERS.__getitem__):
        entries = _by_processes(collectives[procedure])
        lines.append(f"{_NUMBERS[procedure]} {len(entries)}  # {procedure}, sizes of communicators")
        for processes, of_size in entries.items():
            messages = _by_message(of_size)
            lines.append(f"{processes} {len(messages)}  # processes, messages from a size on")
            lines += [" ".join(map(str, (size, *choice))) for size, choice in messages.items()]
    return "".join(f"{line}\n" for line in lines)


def _by_processes(rules: Mapping[int, Sequence[Rule]]) -> dict[int, Sequence[Rule]]:
    """Return the entries of a collective: for the rules, and guards before and after each."""
    guards: dict[int, Sequence[Rule]] = {0: (), **{processes + 1: () for processes in rules}}
    return dict(sorted({**guards, **rules}.items()))


def _by_message(rules: Sequence[Rule]) -> dict[int, tuple[int, int, int]]:
    """Return the entries of a communicator size: algorithm, number of chains, bytes of a segment."""
    entries = {0: _DEFAULT}
    for rule in rules:
        algorithm = rule.algorithm
        fanout = _FANOUT if (rule.procedure, algorithm.number) in _CHAINS else 0
        low = message_size(rule.procedure, rule.low, rule.processes)
        entries[low] = (algorithm.number, fanout, algorithm.segment)
        if rule.high is not None:
            entries[message_size(rule.procedure, rule.high, rule.processes) + 1] = _DEFAULT
    return entries


class OpenMpi(TunableLibrary):
    """Open MPI 4 and 5."""

    label = LABEL
    order = 10
    has_rules = True
    watched = True
    suffix = ".rules"
    choosing = re.compile(rf"{_MCA}(coll_tuned_.*|coll_han_.*(rules|algorithm|module).*|coll)")
    for_speed = re.compile(
        rf"{_MCA}(btl_\w+_(eager_limit|rndv_eager_limit|max_send_size|fbox_\w+)|pml_ob1_\w+|coll_\w+)"
    )
    launched_with: ClassVar = {f"{_MCA}{_DYNAMIC}": "1"}
    segmented: ClassVar = {  # (They cut messages only if a size is given.)
        "MPI_Bcast": ("chain", "pipeline", "split_binary_tree", "binary_tree"),
        "MPI_Reduce": ("chain", "pipeline", "binary"),
        "MPI_Allreduce": ("segmented_ring",),
    }
    # 5 on several nodes: otherwise coll/han takes collectives over from coll/tuned.
    not_overruled: ClassVar = {f"{_MCA}{_HAN}": "0"}
    for_two = ("two_proc",)
    prefixes = (_MCA, "PRTE_MCA_")
    short = _MCA
    tools: ClassVar = {
        _MCA: Tool(
            ("ompi_info", "--all", "--parsable"),
            re.compile(r"^mca:[^:]*:[^:]*:param:([^:]+):", re.MULTILINE),
            re.compile(r"^mca:[^:]*:[^:]*:param:([^:]+):value:(.*)$", re.MULTILINE),
            {_FILES: "none"},
        )
    }
    asked = (
        *(
            f"btl_{btl}_{what}"
            for btl in _WITHIN_NODE + _BETWEEN_NODES
            for what in ("eager_limit", "max_send_size")
        ),
        "pml",
    )

    def translate(self, settings: Settings, library_path: Path | None) -> Translation:  # noqa: ARG002
        """By a file. See TunableLibrary.

        Raises:
            RankwiseError: this version has another grammar, or see `rules_file`.
        """
        version = version_of(settings.about.library)
        if version.parts >= (6,):
            raise RankwiseError(
                f"rules for Open MPI {version.number}: Open MPI 6 has other files, which Rankwise can't "
                "write yet; use Open MPI 4 or 5"
            )
        # In version 5, variables that force an algorithm override the file, so none is set here.
        variables = {f"{_MCA}{_DYNAMIC}": "1", **settings.environment}
        text = "".join(f"{line}\n" for line in comment(settings)) + rules_file(settings.rules)
        return Translation(variables, self.suffix, text, f"{_MCA}coll_tuned_dynamic_rules_filename")

    def is_harmless(self, name: str, value: str) -> bool:
        """See TunableLibrary."""
        if name == f"{_MCA}{_DYNAMIC}":
            return value.lower() in ("1", "true", "t", "yes", "y", "enabled", "on")
        if name == f"{_MCA}coll":
            listed = value.lstrip("^").split(",")
            return ("tuned" not in listed) if value.startswith("^") else ("tuned" in listed or not value)
        if name.endswith("_algorithm"):
            return value in ("", "0", "ignore")
        return super().is_harmless(name, value)

    def by_option(self, option: Option) -> Iterator[Assignment]:
        """By --mca NAME VALUE."""
        if option.name in _PARAMETER_OPTIONS and len(option.words) == 3:
            shown = " ".join(option.words)
            yield Assignment(_MCA + option.words[1], option.words[2], shown, COMMAND_LINE)

    def in_list(self, name: str, value: str, where: str) -> list[Assignment] | None:
        """The variables for the ranks can also be a single parameter."""
        if name not in _LISTS:
            return None
        assignments = []
        for entry in value.split(";"):
            inner, _, given = entry.strip().partition("=")
            assignments.append(
                Assignment(inner, given, entry.strip(), f"{where} ({name.removeprefix(_MCA)})")
            )
        return assignments

    def elsewhere(self, command: CommandLine, environment: Mapping[str, str]) -> Iterator[Assignment]:
        """In files: named ones, the user's, and the installation's."""
        files = [environment.get(_FILES, "")]
        for context in command.contexts:
            for option in context.options:
                files += [
                    assignment.value for assignment in self.by_option(option) if assignment.name == _FILES
                ]
                files += [
                    assignment.value for assignment in variables_of(option) if assignment.name == _FILES
                ]
                files += [option.value] if option.name in _FILE_OPTIONS else []
        named = [Path(name) for several in files for name in re.split("[,:]", several) if name]
        for file in dict.fromkeys(named):
            yield from _in_file(file)
        for file in dict.fromkeys(_usual_files(command, environment)):
            if file not in named:
                yield from (assignment._replace(is_weak=True) for assignment in _in_file(file))

    def offers(self, variables: Mapping[str, Variable]) -> Offers:
        """By the enumerations of variables, which name the algorithms."""
        dynamic = variables.get(_DYNAMIC)
        if not dynamic or (not dynamic.value and not dynamic.writable):
            return Offers()  # Rankwise's environment has not reached the ranks
        choices = {}
        for procedure in PROCEDURES:
            name = f"coll_tuned_{procedure.removeprefix('MPI_').lower()}_algorithm"
            variable = variables.get(name)
            # (MPI_Allgatherv's is constant in all versions up to 5.0: no job can choose it at run time.)
            if not variable or not variable.writable:
                continue
            algorithms = tuple(Algorithm(item, number) for number, item in variable.items if number)
            segment = f"{name}_segmentsize" if f"{name}_segmentsize" in variables else ""
            choices[procedure] = Choice(algorithms, name, segment)
        return Offers(
            choices,
            always=() if dynamic.value else ((_DYNAMIC, 1),),
            overruled=_HAN in variables
            and _TUNED in variables
            and variables[_HAN].value > variables[_TUNED].value,
        )

    def keeps_order(self, procedure: str, algorithm: str) -> bool | None:
        """By measurements."""
        return algorithm in _IN_ORDER.get(procedure, ())

    def control_of(self, variable: str) -> str:
        """Its parameter."""
        return variable.removeprefix(_MCA) if variable.startswith(_MCA) else ""

    def names_like(self, variable: str, names: frozenset[str], ask: Ask) -> tuple[str, frozenset[str]]:
        """MPI_T does not list the parameters of components that are not in use, but the tool does."""
        name = variable.removeprefix(_MCA)
        if not variable.startswith(_MCA) or not names:
            return name, frozenset()
        return name, names if name in names else names | ask(_MCA)

    def name_today(self, name: str, known: Collection[str]) -> str:
        """Components were renamed."""
        there = {
            prefix
            for pair in _RENAMED
            for prefix in pair
            if any(known_name.startswith(prefix) for known_name in known)
        }
        for old, new in _RENAMED:
            if name.startswith(old) and old not in there and new in there:
                return new + name.removeprefix(old)
        return name

    def unused(self, variable: str, layers: Layers) -> str:
        """Of components that are not in use. With another pml than ob1, one-sided operations may use btls."""
        framework, component, *_ = (*variable.removeprefix(_MCA).split("_"), "", "")
        if not layers.pml or component in ("", "base"):
            return ""
        is_idle = {
            "pml": component in _PMLS and component != layers.pml,
            "btl": layers.pml == "ob1" and component not in layers.btls,
            "mtl": component != layers.mtl,
        }
        return f"{framework} {component}" if is_idle.get(framework) else ""

    def proposals(self, sent: Sent) -> Iterable[Parameter]:
        """Other point-to-point layers, eager limits of the btls in use, and UCX's parameters."""
        layers = sent.layers
        yield from _other_layers(sent)
        if layers.pml == "ob1":
            yield from _of_btls(sent, sent.within_node, _WITHIN_NODE)
            yield from _of_btls(sent, sent.between_nodes, _BETWEEN_NODES)
        if layers.pml == "ucx":
            yield from rendezvous(sent, {_PML: (None,)})

    def binding_variable(self, version: Version) -> str:
        """Version 5 has another project's launcher."""
        if version.parts >= (5,):
            return "PRTE_MCA_hwloc_default_binding_policy"
        return f"{_MCA}hwloc_base_binding_policy"


def _other_layers(sent: Sent) -> Iterable[Parameter]:
    """Propose the other point-to-point layers that are present, as they have registered variables."""
    layers = sent.layers
    if not layers.pml:
        return
    there = [
        name
        for name in ("ob1", "ucx")
        if name != layers.pml
        and (name == "ob1" or any(variable.startswith(f"pml_{name}_") for variable in layers.names))
    ]
    if there:
        yield Parameter(
            name="pml",
            variable=_PML,
            values=(None, *there),
            why=f"all messages use pml {layers.pml}, and others are available",
            expected_seconds=sent.mpi_seconds,
            shows="pml",
            present=layers.pml,
        )


def _of_btls(sent: Sent, share: float, btls: Sequence[str]) -> Iterable[Parameter]:
    """Propose eager limits of the btls in use, up to the size in which they send longer messages."""
    values = sent.layers.values
    for btl in (name for name in btls if name in sent.layers.btls):
        name = f"btl_{btl}_eager_limit"
        present = int(values.get(name, 0))
        most = int(values.get(f"btl_{btl}_max_send_size", 0)) or LARGEST_EAGER
        if present:
            limit = Limit(name=name, variable=_MCA + name, present=present, most=most, needs={_PML: (None,)})
            yield from raised(limit, sent, share)


def _usual_files(command: CommandLine, environment: Mapping[str, str]) -> Iterator[Path]:
    """Return the files that Open MPI reads by default: the user's, and the installation's."""
    if home := environment.get("HOME"):
        yield Path(home, ".openmpi", "mca-params.conf")
    launcher = shutil.which(command.launcher, path=environment.get("PATH")) if command.launcher else None
    if launcher:
        for path in dict.fromkeys((Path(launcher), Path(launcher).resolve())):
            prefix = path.parent.parent
            yield prefix / "etc" / "openmpi-mca-params.conf"
            yield prefix / "etc" / "openmpi" / "openmpi-mca-params.conf"
    yield Path("/etc/openmpi/openmpi-mca-params.conf")


def _in_file(path: Path) -> Iterator[Assignment]:
    """Return what a file of parameters sets: `name = value`, `--mca name value` and `-x NAME=value`."""
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode(errors="replace")
    except OSError:
        return  # the library also ignores it
    for line in text.splitlines():
        setting = line.partition("#")[0].strip()
        name, equals, value = setting.partition("=")
        if equals and re.fullmatch(r"\w+", name.strip()):
            given = value.strip().strip("\"'")
            yield Assignment(_MCA + name.strip(), given, setting, str(path))
            continue
        for option, parameter, given in re.findall(r"(?:^|\s)(--?(?:g?mca|omca))\s+(\S+)\s+(\S+)", setting):
            shown = f"{option} {parameter} {given}"
            yield Assignment(_MCA + parameter, given.strip("\"'"), shown, str(path))
        for variable, given in re.findall(r"(?:^|\s)-x\s+(\w+)=(\S*)", setting):
            yield Assignment(variable, given, f"-x {variable}={given}", str(path))


LIBRARIES = (OpenMpi(),)
