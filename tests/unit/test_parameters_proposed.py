"""Parameters that are proposed from made profiles, for the layer that is in use."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from made_profile import Made

from rankwise.tuning.parameters.layers import Layers, is_in_force, read_layers
from rankwise.tuning.parameters.message_sizes import message_sizes
from rankwise.tuning.parameters.parameter import Parameter
from rankwise.tuning.parameters.proposals import propose
from rankwise.tuning.parameters.thresholds import limit_for

OPEN_MPI_4, OPEN_MPI_5 = "Open MPI v4.1.4, package: x", "Open MPI v5.0.11, package: x"
LIMITS = {
    "btl_vader_eager_limit": "4096",
    "btl_vader_max_send_size": "32768",
    "btl_sm_eager_limit": "4096",
    "btl_sm_max_send_size": "32768",
    "btl_tcp_eager_limit": "65536",
    "btl_tcp_max_send_size": "131072",
}


def ob1(library: str, *btls: str) -> Layers:
    return Layers(library=(library,), pml="ob1", btls=("self", *btls), processors=1, values=LIMITS)


def ping_pong(size: int, *, calls: int = 1000, sampled: bool = True, hosts: tuple[str, ...] = ()) -> Made:
    """Two ranks, each with a processor of its own; 0.2 s in sends and 0.6 s in receives each."""
    made = Made(2, hosts=hosts)
    made.connection.execute("UPDATE ranks SET cpus_allowed = rank")
    place = size.bit_length()
    for rank in range(2):
        made.call(rank, "MPI_Send", 0.2, calls=calls, size_bin=place, sent=calls * size)
        made.call(rank, "MPI_Recv", 0.6, calls=calls, size_bin=place)
        if sampled:
            made.wait(rank, "MPI_Recv", 1 - rank, 0.1, 0.2, 0.1, size=size)
    return made


def proposed(made: Made, layers: Layers) -> Mapping[str, Parameter]:
    return {parameter.variable: parameter for parameter in propose(made.seen.connection, layers)}


@pytest.mark.parametrize(
    ("size", "limit"), [(1, 128), (4000, 4096), (4096, 8192), (8192, 16384), (16320, 16384), (16321, 32768)]
)
def test_the_limit_that_a_message_fits_under(size: int, limit: int) -> None:
    assert limit_for(size) == limit


@pytest.mark.parametrize(("library", "btl"), [(OPEN_MPI_4, "vader"), (OPEN_MPI_5, "sm")])
def test_the_btl_in_use_gets_room_for_the_messages(library: str, btl: str) -> None:
    parameters = proposed(ping_pong(8192), ob1(library, btl, "tcp"))
    limit = parameters.pop(f"OMPI_MCA_btl_{btl}_eager_limit")
    assert not parameters
    assert (limit.values, limit.present, limit.asked) == ((None, "16384"), "4096", f"btl_{btl}_eager_limit")
    assert limit.expected_seconds == pytest.approx(0.8)
    assert "2000 messages of 8 KiB" in limit.why
    assert limit.needs == {"OMPI_MCA_pml": (None,)}


@pytest.mark.parametrize("size", [1000, 4000, 40_000, 1 << 20])
def test_messages_that_fit_already_or_never(size: int) -> None:
    """Of those above the size in which the btl cuts messages, none can be sent at once."""
    assert not proposed(ping_pong(size), ob1(OPEN_MPI_5, "sm"))


def test_the_limit_itself_does_not_fit() -> None:
    assert proposed(ping_pong(4096), ob1(OPEN_MPI_5, "sm"))["OMPI_MCA_btl_sm_eager_limit"].values == (
        None,
        "8192",
    )


def test_without_a_sample_the_bin_has_to_do() -> None:
    """1000 of 8192 B each are told by their sum; of others, the bin holds up to 16383 B."""
    assert [row.bytes for row in message_sizes(ping_pong(8192, sampled=False).seen.connection)] == [8192]
    assert [row.bytes for row in message_sizes(ping_pong(9000, sampled=False).seen.connection)] == [16383]


def test_between_nodes_the_limit_of_tcp() -> None:
    made = ping_pong(100_000, hosts=("a", "b"))
    made.message(0, 1, 100_000)
    made.message(1, 0, 100_000)
    parameters = proposed(made, ob1(OPEN_MPI_5, "sm", "tcp"))
    assert parameters["OMPI_MCA_btl_tcp_eager_limit"].values == (None, "131072")
    assert parameters.keys() == {"OMPI_MCA_btl_tcp_eager_limit"}


def test_completions_count_by_the_number_of_messages() -> None:
    made = Made(2)
    made.call(0, "MPI_Isend", 0.0, calls=30, size_bin=14, sent=30 * 8192)
    made.call(0, "MPI_Isend", 0.0, calls=10, size_bin=1, sent=10)
    made.call(0, "MPI_Waitall", 0.8, calls=40)
    rows = message_sizes(made.seen.connection)
    assert [(row.bytes, row.messages, row.seconds) for row in rows] == [
        (1, 10, pytest.approx(0.1)),
        (8192, 30, pytest.approx(0.3)),
    ]


def test_another_layer_gets_its_own_variable() -> None:
    """With UCX the limits of btls mean nothing."""
    ucx = Layers(
        library=(OPEN_MPI_5,), pml="ucx", processors=1, names=frozenset({"pml_ucx_priority"}), values=LIMITS
    )
    parameters = proposed(ping_pong(8192), ucx)
    assert parameters.keys() == {"UCX_RNDV_THRESH", "OMPI_MCA_pml"}
    assert parameters["UCX_RNDV_THRESH"].values == (None, "8192", "16384")
    assert parameters["OMPI_MCA_pml"].values == (None, "ob1")


def test_the_other_layer_where_it_is_there() -> None:
    there = Layers(library=(OPEN_MPI_5,), pml="ob1", names=frozenset({"pml_ucx_priority"}), processors=1)
    assert proposed(ping_pong(8), there)["OMPI_MCA_pml"].values == (None, "ucx")
    assert not proposed(ping_pong(8), ob1(OPEN_MPI_5, "sm"))


def test_mpich() -> None:
    values = {"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE": "8192", "MPIR_CVAR_CH4_PACK_BUFFER_SIZE": "16384"}
    ucx = Layers(library=("MPICH Version:      5.0.2",), netmod="ucx", processors=1, values=values)
    parameters = proposed(ping_pong(8192), ucx)
    assert parameters["MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE"].values == (None, "16384")
    assert parameters.keys() == {"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "UCX_RNDV_THRESH"}
    assert not [name for name in proposed(ping_pong(16384), ucx) if name.startswith("MPIR")]
    old = Layers(
        library=("MPICH Version:\t4.0.2",),
        netmod="ofi",
        processors=1,
        names=frozenset({"MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE"}),
    )
    made = ping_pong(8192, hosts=("a", "b"))
    made.message(0, 1, 8192)
    assert proposed(made, old)["MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE"].values == (None, "16384")


def test_intel() -> None:
    intel = Layers(
        library=("Intel(R) MPI Library 2021.18.1 for Linux* OS",),
        processors=1,
        names=frozenset({"MPIR_CVAR_INTEL_SHM_CELL_FWD_SIZE"}),
    )
    parameters = proposed(ping_pong(40_000), intel)
    assert parameters["I_MPI_SHM_CELL_FWD_SIZE"].values == (None, "65536")
    assert parameters["I_MPI_SHM_CELL_FWD_SIZE"].asked == "MPIR_CVAR_INTEL_SHM_CELL_FWD_SIZE"


BINDINGS = {
    OPEN_MPI_4: "OMPI_MCA_hwloc_base_binding_policy",
    OPEN_MPI_5: "PRTE_MCA_hwloc_default_binding_policy",
    "MPICH Version:      5.0.2": "HYDRA_BINDING",
    "Intel(R) MPI Library 2021.18.1 for Linux* OS": "I_MPI_PIN_DOMAIN",
}


@pytest.mark.parametrize(("library", "variable"), BINDINGS.items())
def test_ranks_that_share_processors_may_be_bound(library: str, variable: str) -> None:
    parameters = proposed(Made(2, cpus="0-3"), Layers(library=(library,), processors=4))
    assert parameters[variable].values == (None, "core")


def test_ranks_that_are_not_to_be_bound() -> None:
    """They are bound, or more than there are processors or cores, or have threads."""
    layers = Layers(library=(OPEN_MPI_5,), processors=2)
    assert not proposed(Made(3, cpus="0-1"), layers)
    assert not proposed(Made(2, cpus="0-1", threads=2), layers)
    bound = Made(2)
    bound.connection.execute("UPDATE ranks SET cpus_allowed = rank")
    assert not proposed(bound, layers)
    one_core = Made(2, cpus="0-1")
    one_core.insert("node_shapes", host="node", shape=0)
    for processor in range(2):
        one_core.insert("shape_processors", shape=0, processor=processor, core=0, kind="any")
    assert not proposed(one_core, layers)


PROBED = """library Open MPI v5.0.11, package: x
pml ob1
btl self
btl sm
processors 2
nodes 1
variable pml
variable btl_sm_eager_limit
value btl_sm_eager_limit 4096
value pml ^ucx
end
"""


def test_what_the_probe_writes() -> None:
    layers = read_layers(PROBED)
    assert layers == Layers(
        library=("Open MPI v5.0.11, package: x",),
        pml="ob1",
        btls=("self", "sm"),
        processors=2,
        names=frozenset({"pml", "btl_sm_eager_limit"}),
        values={"btl_sm_eager_limit": "4096", "pml": "^ucx"},
    )
    assert layers.text == "Open MPI 5.0.11 sends by pml ob1 with btl self, sm"
    assert read_layers(PROBED.removesuffix("end\n")) is None
    assert read_layers("") is None


@pytest.mark.parametrize(
    ("said", "netmod"),
    [("", "ucx"), ("==== UCX netmod Capability ====", "ucx"), ("==== OFI dynamic settings ====", "ofi")],
)
def test_mpich_tells_its_netmod(said: str, netmod: str) -> None:
    text = "library MPICH Version:      5.0.2\nlibrary MPICH Device:       ch4:ucx ofi\nend\n"
    layers = read_layers(text, said)
    assert layers
    assert layers.netmod == netmod


def seen(value: str, *, now: str, before: str = "4096") -> bool | None:
    parameter = Parameter(name="a", variable="OMPI_MCA_a", values=(None, value), shows="variable")
    layers = [Layers(library=(), values={"a": text}) for text in (before, now)]
    return is_in_force(parameter, parameter.settings[1], *layers)


def test_whether_a_value_is_in_force() -> None:
    assert seen("16384", now="16384") is True
    assert seen("16k", now="16384") is True
    assert seen("16384", now="4096") is False
    assert seen("ring", now="4", before="0") is None
    assert seen("ring", now="0", before="0") is None
    pml = Parameter(name="pml", variable="OMPI_MCA_pml", values=(None, "ucx"), shows="pml")
    assert (
        is_in_force(pml, pml.settings[1], Layers(library=(), pml="ob1"), Layers(library=(), pml="ob1"))
        is False
    )
    bound = Parameter(name="b", variable="HYDRA_BINDING", values=(None, "core"), shows="processors")
    layers = Layers(library=(), processors=4), Layers(library=(), processors=1)
    assert is_in_force(bound, bound.settings[1], *layers) is True
    assert is_in_force(bound, bound.settings[1], layers[0], layers[0]) is False
