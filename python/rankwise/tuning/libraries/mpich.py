"""MPICH, and what is common to all libraries derived from it.

Its rules are its selection tree of algorithms, with branches for the cells that change. A file replaces the
whole tree that is compiled into the library. So that tree is read from the library that the program uses, and
cells without a rule keep their branches. A file that lacks a collective, or has an algorithm that this
version does not know, ends every program. Nor does the library check what an algorithm chosen by a file can
do. So branches before each limited algorithm leave the other cases to the library, as the library itself does
where a variable chooses the algorithm.

Tests use only <= and =: some versions take comm_size<N for <=.

The library first splits a collective by nodes (its "composition"), and searches this tree for each part. So
on communicators with processes on several nodes a rule can also match parts with as many processes.

It names its algorithms only in the text that describes a variable, in the order of their numbers; 4.0 lacks
the line breaks there:

    Variable to select gather algorithmauto - Internal ... TUNING_JSON_FILE)binomial - Force binomial
    algorithmnb       - Force nonblocking algorithm

Sources: src/mpi/coll/src/csel.c, src/mpi/coll/coll_algorithms.txt of MPICH 4 and 5; seen with 4.0.2
(tests/mpi/test_settings.py).
"""

from __future__ import annotations

import json
import mmap
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from rankwise.errors import RankwiseError
from rankwise.mpi_libraries import Version
from rankwise.text.units import exact_byte_text
from rankwise.tuning.libraries.base import Ask, TunableLibrary
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.parameter import Parameter
from rankwise.tuning.parameters.thresholds import LEAST_EAGER, Limit, Sent, raised
from rankwise.tuning.racing.offers import PROCEDURES, Choice, Offers, Variable
from rankwise.tuning.settings.grouped import grouped
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Algorithm, Rule
from rankwise.tuning.settings.translation import Translation

LABEL = "MPICH"

_PREFIX = "MPIR_CVAR_"
_CELL = f"{_PREFIX}CH4_SHM_POSIX_IQUEUE_CELL_SIZE"
_CELL_FITS = (f"{_PREFIX}CH4_PACK_BUFFER_SIZE", f"{_PREFIX}CH4_AM_PACK_BUFFER_SIZE")  # MPICH 5; 4
_OFI = (f"{_PREFIX}CH4_OFI_EAGER_THRESHOLD", f"{_PREFIX}CH4_OFI_EAGER_MAX_MSG_SIZE")  # MPICH 5; 4

# "error": a call fails if its algorithm can't do it; otherwise another one would be taken silently.
_FALLBACK, _FALLBACK_ERROR = f"{_PREFIX}COLLECTIVE_FALLBACK", 0
# Such an algorithm calls the same collective on parts of the communicator, and can't be taken there itself.
_NESTED = "_smp"
# With parameters, which a selection file would have to state (MPICH 4.1 and later).
_WITH_PARAMETERS = re.compile(r"(k_|recexch|recursive_multiplying$|tree$|pipelined_tree$|ccl$)")
_LISTED = re.compile(r"(\w+)( +)- ")

Tree = dict[str, Any]
"""A branch for each test, in the order in which they are made."""

_POWER_OF_TWO = "a power of two of processes"
_BRANCHES = {
    "commutative": "is_commutative={}",
    "built in": "is_op_built_in={}",
    "regular": "is_block_regular={}",
}
_NEEDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Allgather": {"brucks": (), "recursive_doubling": (_POWER_OF_TWO,), "ring": ()},
    "Allgatherv": {"brucks": (), "recursive_doubling": (_POWER_OF_TWO,), "ring": ()},
    "Allreduce": {
        "recursive_doubling": (),
        "reduce_scatter_allgather": ("built in", "enough elements"),
        "ring": ("commutative",),
        "smp": ("commutative", "several levels"),
    },
    "Alltoall": {"brucks": ("not in place",), "pairwise": ("not in place",), "scattered": ("not in place",)},
    "Barrier": {"dissemination": (), "smp": ("several levels",)},
    "Bcast": {
        "binomial": (),
        "scatter_recursive_doubling_allgather": (_POWER_OF_TWO,),
        "scatter_ring_allgather": (),
        "smp": ("several levels",),
    },
    "Reduce": {
        "binomial": (),
        "reduce_scatter_gather": ("built in", "enough elements"),
        "smp": ("commutative", "several levels"),
    },
    "Reduce_scatter": {
        "noncommutative": (_POWER_OF_TWO, "regular"),
        "pairwise": ("commutative",),
        "recursive_doubling": (),
        "recursive_halving": ("commutative",),
    },
    "Reduce_scatter_block": {
        "noncommutative": (_POWER_OF_TWO,),
        "pairwise": ("commutative",),
        "recursive_doubling": (),
        "recursive_halving": ("commutative",),
    },
}
"""The conditions of each algorithm that takes no parameters. Rankwise's files can't choose others."""

_BY_TOTAL = {"MPI_Allgather", "MPI_Allgatherv", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"}
_WHOLE = {"MPI_Barrier"}
_MOST = (1 << 31) - 1  # numbers in tests are ints
_PAGE = 4096


def default_tree(library: Path) -> Tree:
    """Return the tree of algorithms that is compiled into a library.

    Args:
        library: libmpi.so, libmpich.so.

    Raises:
        RankwiseError: it can't be read, or has no tree.
    """
    begin, name = b'{"collective=', b"algorithm=MPIR_"
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            start = content.find(begin)
            while start >= 0:
                text = content[start : content.find(b"\0", start)]
                if name in text:
                    tree: Tree = json.loads(text)
                    return tree
                start = content.find(begin, start + len(text))
    except OSError as error:
        raise RankwiseError(f"cannot read {library}: {error.strerror}") from error
    except ValueError as error:  # an empty file, or no JSON
        raise RankwiseError(f"the selection tree in {library} can't be read: {error}") from error
    raise RankwiseError(f"{library} has no selection tree for rules: use MPICH 4 or later")


def spliced(tree: Tree, rules: Sequence[Rule], known: Sequence[str] | None = None) -> Tree:
    """Return the tree with branches for the rules.

    Args:
        tree: the library's own.
        rules: in any order.
        known: names of the algorithms that the library takes from a file; None: all.

    Raises:
        RankwiseError: a rule is impossible, or rules contradict each other.
    """
    changed = dict(tree)
    procedures = [f"MPI_{name}" for name in _NEEDS]
    for procedure, by_processes in grouped(rules, procedures, _WHOLE, LABEL).items():
        collective = f"collective={procedure.removeprefix('MPI_').lower()}"
        own = tree.get(collective, {}).get("comm_type=intra")
        if not isinstance(own, dict):
            raise RankwiseError(f"this MPICH offers no algorithms for {procedure}: remove its rule")
        by_size: Tree = {}
        for processes, of_size in by_processes.items():
            by_size.setdefault(f"comm_size<={processes - 1}", own)
            by_size[f"comm_size<={processes}"] = _by_message(of_size, own, known)
        by_size["comm_size=any"] = own
        changed[collective] = {**tree[collective], "comm_type=intra": by_size}
    return changed


def _by_message(rules: Sequence[Rule], own: Tree, known: Sequence[str] | None) -> Tree:
    first = rules[0]
    if first.high is None:
        return _leaf(first, own, known)
    by_total = first.procedure in _BY_TOTAL
    test = "total_msg_size" if by_total else "avg_msg_size"
    unit = first.processes if by_total else 1
    branches: Tree = {}
    for rule in rules:
        low, high = rule.low * unit, (rule.high or 0) * unit
        if high > _MOST:
            raise RankwiseError(
                f"the rule for {rule.procedure} on {rule.processes} processes is for messages of up to "
                f"{exact_byte_text(high)} in total: MPICH's files have no sizes above "
                f"{exact_byte_text(_MOST)}"
            )
        if low:
            branches.setdefault(f"{test}<={low - 1}", own)
        branches[f"{test}<={high}"] = _leaf(rule, own, known)
    return {**branches, f"{test}=any": own}


def _leaf(rule: Rule, own: Tree, known: Sequence[str] | None) -> Tree:
    """Return the algorithm of a rule, behind tests for what it can't do."""
    collective = rule.procedure.removeprefix("MPI_")
    prefix = f"MPIR_{collective}_intra_"
    name = rule.algorithm.name.removeprefix(prefix)
    if name not in _NEEDS[collective]:
        raise RankwiseError(
            f"{rule.procedure}: a file can't choose {rule.algorithm.name}, or not without parameters; "
            f"it can choose {', '.join(_NEEDS[collective])}"
        )
    if known is not None and prefix + name not in known:
        raise RankwiseError(f"{rule.procedure}: this MPICH has no {prefix + name}: remove the rule")
    branch: Tree = {f"algorithm={prefix + name}": {}}
    for need in reversed(_NEEDS[collective][name]):
        if need == _POWER_OF_TWO:
            if rule.processes & (rule.processes - 1):
                raise RankwiseError(
                    f"{rule.procedure}: {name} needs {need}, not {rule.processes}: remove the rule"
                )
        elif need == "enough elements":
            branch = {"count<pow2": own, "count=any": branch}
        elif need == "several levels":
            branch = {"comm_hierarchy=parent": branch, "comm_hierarchy=any": own}
        elif need == "not in place":
            branch = {"is_sendbuf_inplace=yes": own, "is_sendbuf_inplace=no": branch}
        else:
            test = _BRANCHES[need]
            branch = {test.format("yes"): branch, test.format("no"): own}
    return branch


def algorithms(library: Path) -> list[str]:
    """Return the names of all algorithms that a library takes from a file.

    Raises:
        RankwiseError: it can't be read.
    """
    marker = b"algorithm=MPIR_"
    names = []
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            start = content.find(marker)
            while start >= 0:
                text = content[start : content.find(b"\0", start)]
                if text.isascii() and text.partition(b"=")[2].replace(b"_", b"").isalnum():
                    names.append(text.decode().partition("=")[2])
                start = content.find(marker, start + len(marker))
    except (OSError, ValueError) as error:
        raise RankwiseError(f"cannot read {library}: {error}") from error
    return names


def selection_name(procedure: str, name: str) -> str:
    """Return how MPICH's selection files call an algorithm.

    Args:
        procedure: such as MPI_Bcast.
        name: as in the variable's text, such as binomial.
    """
    kind = "allcomm" if name in ("nb", "linear") else "intra"
    return f"MPIR_{procedure.removeprefix('MPI_')}_{kind}_{name}"


def names_in(description: str) -> list[str]:
    """Return the values' names in the text on a variable of MPICH, by number; empty if they can't be parsed.

    Args:
        description: of the variable; its first value is "auto".
    """
    listed = list(_LISTED.finditer(description))
    if len(listed) < 2 or not listed[0][1].endswith("auto"):
        return []
    if "\n" in description:
        return [match[1] for match in listed]
    # All names but the first follow the sentence before without a space. The first shows the column's width.
    width = len(listed[1][0]) - len("- ")
    names = ["auto"]
    for match in listed[1:]:
        column = f"{match[1]}{match[2]}"
        if len(column) < width:
            return []
        names.append(column[-width:].strip())
    return names


class OfMpich(TunableLibrary):
    """A library derived from MPICH."""

    prefixes: ClassVar[tuple[str, ...]] = (_PREFIX, "HYDRA_")

    def offers(self, variables: Mapping[str, Variable]) -> Offers:
        """By the texts on variables."""
        choices = {}
        for procedure in PROCEDURES:
            variable = variables.get(f"{_PREFIX}{procedure.removeprefix('MPI_').upper()}_INTRA_ALGORITHM")
            if not variable or not variable.writable:
                continue
            algorithms = tuple(
                Algorithm(selection_name(procedure, name), number)
                for number, name in enumerate(names_in(variable.description))
                if number and not _WITH_PARAMETERS.match(name)
            )
            if algorithms:
                choices[procedure] = Choice(algorithms, variable.name)
        offered = [algorithm for choice in choices.values() for algorithm in choice.algorithms]
        return Offers(
            choices,
            at_calls=True,
            always=((_FALLBACK, _FALLBACK_ERROR),) if _FALLBACK in variables else (),
            nested=frozenset(algorithm for algorithm in offered if algorithm.name.endswith(_NESTED)),
        )

    def proposals(self, sent: Sent) -> Iterable[Parameter]:
        """The parameters of UCX, and the library's own limits."""
        yield from super().proposals(sent)
        yield from self.own_limits(sent)

    def unused(self, variable: str, layers: Layers) -> str:
        """The other netmod's."""
        of = re.match(rf"{_PREFIX}(?:CH4_)?(OFI|UCX)_", variable)
        return f"ch4:{of[1].lower()}" if of and layers.netmod and of[1].lower() != layers.netmod else ""

    def own_limits(self, sent: Sent) -> Iterable[Parameter]:
        """Propose eager limits."""
        return of_ofi(sent)


class Mpich(OfMpich):
    """MPICH 4 and 5."""

    label = LABEL
    order = 20
    has_rules = True
    suffix = ".mpich.json"
    choosing = re.compile(
        r"(MPIR_CVAR|MPIR_PARAM|MPICH)_(\w+_ALGORITHM|\w+_COMPOSITION|(\w+_)?COLL_SELECTION_TUNING_JSON_FILE)"
    )
    for_speed = re.compile(
        r"MPIR_CVAR_(CH4_\w*(EAGER|CELL)\w*|\w+_(SHORT|LONG)_MSG_SIZE|\w+_(KVAL|TREE_TYPE|CHUNK_SIZE)|\w+_THROTTLE)"
    )
    asked = (_CELL, *_CELL_FITS, *_OFI)
    telling: ClassVar = {f"{_PREFIX}DEBUG_SUMMARY": "1"}  # which netmod it uses

    def translate(self, settings: Settings, library_path: Path | None) -> Translation:
        """By a file. See TunableLibrary.

        Raises:
            RankwiseError: its tree can't be found, or see `spliced`.
        """
        if library_path is None:
            raise RankwiseError(
                "the file of the MPICH library can't be found, and its rules are made from that file: give "
                "the launcher and the program after `--`, not a script that calls them"
            )
        tree = spliced(default_tree(library_path), settings.rules, algorithms(library_path))
        text = json.dumps(tree, indent=1)
        # The library expects a zero after the file's end, and there is one unless its last page is full.
        text += "\n" * (2 if (len(text) + 1) % _PAGE == 0 else 1)
        variable = f"{_PREFIX}COLL_SELECTION_TUNING_JSON_FILE"
        return Translation(settings.environment, self.suffix, text, variable)

    def control_of(self, variable: str) -> str:
        """The variable itself."""
        return variable if variable.startswith(_PREFIX) else ""

    def names_like(self, variable: str, names: frozenset[str], ask: Ask) -> tuple[str, frozenset[str]]:  # noqa: ARG002
        """MPI_T lists all, except the launcher's, which are in no list."""
        return variable, names if variable.startswith(_PREFIX) else frozenset()

    def own_limits(self, sent: Sent) -> Iterable[Parameter]:
        """Of libfabric, and of shared memory."""
        yield from of_ofi(sent)
        yield from of_cells(sent)

    def binding_variable(self, version: Version) -> str:  # noqa: ARG002
        """See TunableLibrary."""
        return "HYDRA_BINDING"


class Cray(OfMpich):
    """Cray MPICH."""

    label = "Cray MPICH"
    order = 40
    prefixes = (_PREFIX,)

    def own_limits(self, sent: Sent) -> Iterable[Parameter]:
        """As MPICH."""
        yield from of_ofi(sent)
        yield from of_cells(sent)


class Mvapich(OfMpich):
    """MVAPICH."""

    label = "MVAPICH"
    order = 50


def of_ofi(sent: Sent) -> Iterable[Parameter]:
    """Propose the size up to which libfabric sends at once; the present one is unknown."""
    name = next((candidate for candidate in _OFI if candidate in sent.layers.names), "")
    if sent.layers.netmod == "ofi" and name:
        limit = Limit(name=name, variable=name, present=LEAST_EAGER, shown="")
        yield from raised(limit, sent, sent.between_nodes)


def of_cells(sent: Sent) -> Iterable[Parameter]:
    """Propose the size of cells of shared memory."""
    values = sent.layers.values
    present = int(values.get(_CELL, 0))
    fits = [int(values[name]) for name in _CELL_FITS if name in values]
    if present and fits:  # MPICH does not start if a cell is larger than these
        limit = Limit(name=_CELL, variable=_CELL, present=present, most=min(fits))
        yield from raised(limit, sent, sent.within_node)


LIBRARIES = (Mpich(), Cray(), Mvapich())
