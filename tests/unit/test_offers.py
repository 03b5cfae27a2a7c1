"""What installed libraries offer, as their control variables tell it."""

from __future__ import annotations

import pytest

from rankwise.tuning.libraries import by_label, offers_of
from rankwise.tuning.libraries.mpich import names_in
from rankwise.tuning.racing.arms import arms_of
from rankwise.tuning.racing.offers import Offers, control_variables
from rankwise.tuning.settings.rule import Algorithm

_AUTO = (
    "auto - Internal algorithm selection (can be overridden with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)"
)

# As MPICH 4.0.2 has it, without ends of lines.
BCAST_4 = (
    f"Variable to select bcast algorithm{_AUTO}binomial                                - Force Binomial Tree"
    "nb                                      - Force nonblocking algorithm"
    "smp                                     - Force smp algorithm"
    "scatter_recursive_doubling_allgather    - Force Scatter Recursive-Doubling Allgather"
    "scatter_ring_allgather                  - Force Scatter Ring"
)
BARRIER_4 = (
    f"Variable to select barrier algorithm{_AUTO}nb            - Force nonblocking algorithm"
    "smp           - Force smp algorithmdissemination - Force dissemination algorithm"
)
GATHERV_4 = (
    f"Variable to select gatherv algorithm{_AUTO}linear - Force linear algorithm"
    "nb     - Force nonblocking algorithm"
)
# As 5.0.2 has it: the column of names is not wide enough for the last one.
BARRIER_5 = (
    f"Variable to select barrier algorithm\n{_AUTO}\nnb            - Force nonblocking algorithm\n"
    "smp           - Force smp algorithm\nk_dissemination - Force high radix dissemination algorithm\n"
    "recexch       - Force recursive exchange algorithm"
)


@pytest.mark.parametrize(
    ("description", "names"),
    [
        (
            BCAST_4,
            [
                *("auto", "binomial", "nb", "smp", "scatter_recursive_doubling_allgather"),
                "scatter_ring_allgather",
            ],
        ),
        (BARRIER_4, ["auto", "nb", "smp", "dissemination"]),
        (GATHERV_4, ["auto", "linear", "nb"]),
        (BARRIER_5, ["auto", "nb", "smp", "k_dissemination", "recexch"]),
        ("Variable to select an algorithm", []),
        ("Variable to select a thingnone - Do nothing", []),
        # Glued, and no column: where the second name begins can't be told.
        (f"Select{_AUTO}dissemination - Force it.nb - Force nonblocking", []),
    ],
)
def test_names_in_texts_of_mpich(description: str, names: list[str]) -> None:
    assert names_in(description) == names


def variable(name: str, **more: object) -> dict[str, object]:
    return {"name": name, "value": 0, "writable": True, "items": [], "description": "", **more}


def openmpi(*, dynamic: int, writable: bool, han: int = 0) -> list[dict[str, object]]:
    return [
        variable("coll_tuned_use_dynamic_rules", value=dynamic, writable=writable),
        variable("coll_tuned_priority", value=30, writable=False),
        variable("coll_han_priority", value=han, writable=False),
        variable("coll_tuned_allreduce_algorithm", items=[[0, "ignore"], [1, "linear"], [4, "ring"]]),
        variable("coll_tuned_allreduce_algorithm_segmentsize"),
        variable("coll_tuned_barrier_algorithm", items=[[0, "ignore"], [6, "tree"]]),
        variable("coll_tuned_allgatherv_algorithm", items=[[0, "ignore"], [1, "default"]], writable=False),
    ]


def read(library: str, variables: list[dict[str, object]]) -> Offers:
    return by_label(library).offers(control_variables(variables))


def test_offers_of_openmpi() -> None:
    offers = read("Open MPI", openmpi(dynamic=1, writable=False))
    assert set(offers.choices) == {"MPI_Allreduce", "MPI_Barrier"}
    assert offers.choices["MPI_Allreduce"].algorithms == (Algorithm("linear", 1), Algorithm("ring", 4))
    assert (offers.at_calls, offers.overruled) == (False, False)
    assert offers.settings("MPI_Allreduce", Algorithm("ring", 4, 8192)) == (
        ("coll_tuned_allreduce_algorithm", 4),
        ("coll_tuned_allreduce_algorithm_segmentsize", 8192),
    )
    assert offers.settings("MPI_Barrier", Algorithm("tree", 6)) == (("coll_tuned_barrier_algorithm", 6),)


def test_openmpi_that_has_to_be_told_to_listen() -> None:
    offers = read("Open MPI", openmpi(dynamic=0, writable=True, han=35))
    first, *_ = offers.settings("MPI_Barrier", Algorithm("tree", 6))
    assert first == ("coll_tuned_use_dynamic_rules", 1)
    assert offers.overruled
    assert not read("Open MPI", openmpi(dynamic=0, writable=False)).choices


def test_offers_of_mpich() -> None:
    offers = read(
        "MPICH",
        [
            variable("MPIR_CVAR_BCAST_INTRA_ALGORITHM", description=BCAST_4),
            variable("MPIR_CVAR_IBCAST_INTRA_ALGORITHM", description=BCAST_4),
            variable("MPIR_CVAR_GATHERV_INTRA_ALGORITHM", description=GATHERV_4),
            variable("MPIR_CVAR_BARRIER_INTRA_ALGORITHM", description=BARRIER_5),
            variable("MPIR_CVAR_SCAN_INTRA_ALGORITHM", description="of another kind"),
            variable("MPIR_CVAR_COLLECTIVE_FALLBACK", value=2),
        ],
    )
    assert set(offers.choices) == {"MPI_Bcast", "MPI_Gatherv", "MPI_Barrier"}
    assert [algorithm.name for algorithm in offers.choices["MPI_Gatherv"].algorithms] == [
        "MPIR_Gatherv_allcomm_linear",
        "MPIR_Gatherv_allcomm_nb",
    ]
    # Selection files could not state the parameters of the others.
    assert offers.choices["MPI_Barrier"].algorithms == (
        Algorithm("MPIR_Barrier_allcomm_nb", 1),
        Algorithm("MPIR_Barrier_intra_smp", 2),
    )
    binomial, _, smp, *_, ring = offers.choices["MPI_Bcast"].algorithms
    assert (binomial.number, smp.number, ring.number) == (1, 3, 5)
    assert offers.at_calls
    strict, chosen = offers.settings("MPI_Bcast", ring)
    assert (strict, chosen) == (
        ("MPIR_CVAR_COLLECTIVE_FALLBACK", 0),
        ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", 5),
    )
    assert offers.settings("MPI_Bcast", smp) == (("MPIR_CVAR_BCAST_INTRA_ALGORITHM", 3),)


def test_a_library_with_nothing_to_choose() -> None:
    for library in ("Open MPI", "MPICH", "Intel MPI", ""):
        assert not read(library, []).choices


def test_arms_of_a_race() -> None:
    offered = (Algorithm("basic_linear", 1), Algorithm("pipeline", 3))
    assert arms_of(by_label("Open MPI"), "MPI_Bcast", 65536, offered) == {
        "default": None,
        "basic_linear": Algorithm("basic_linear", 1),
        "pipeline": Algorithm("pipeline", 3),
        "pipeline, segments of 8 KiB": Algorithm("pipeline", 3, 8192),
    }
    assert "pipeline, segments of 64 KiB" in arms_of(by_label("Open MPI"), "MPI_Bcast", 65537, offered)
    assert list(arms_of(by_label("Open MPI"), "MPI_Gather", 1 << 20, offered)) == [
        "default",
        "basic_linear",
        "pipeline",
    ]


def test_a_library_that_is_not_known_is_known_by_its_variables() -> None:
    variables = control_variables([variable("MPIR_CVAR_BCAST_INTRA_ALGORITHM", description=BCAST_4)])
    assert offers_of("Of MPICH, 1.0", variables) == by_label("MPICH").offers(variables)
    assert not offers_of("Of MPICH, 1.0", {}).choices
