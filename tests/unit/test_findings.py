"""Each rule of findings: a profile in which it finds something, and ones in which it must not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from made_profile import Made
from test_docs import sections, table

from golden import Golden
from rankwise.analysis.nodes.binding import node_places
from rankwise.findings.finding import HIGH, LOW, MEDIUM, WEIGHTS, Finding, NoAnswer
from rankwise.findings.metrics import METRICS
from rankwise.findings.registry import RULES
from rankwise.findings.rules import waiting_collective
from rankwise.findings.search import LEAST_PERCENT, MOST_IN_SUMMARY, findings
from rankwise.findings.texts import sure_share_text


def answer_to(made: Made, rule: str) -> list[Finding] | str:
    """What a rule finds, or why it can't tell."""
    [chosen] = [candidate for candidate in RULES if candidate.id == rule]
    answer = chosen.find(made.seen)
    return answer.why if isinstance(answer, NoAnswer) else list(answer)


def found_in(made: Made, rule: str) -> Finding:
    answer = answer_to(made, rule)
    assert len(answer) == 1, answer
    assert isinstance(answer, list)
    return answer[0]


def barriers(made: Made, late: list[int], calls: int = 20) -> Made:
    """Barriers to which one rank after another of a list comes 0.1 s late, the others for which wait."""
    waited = [0.0] * made.ranks
    for number in range(calls):
        who = late[number % len(late)]
        begin = 0.2 * number
        arrivals = [begin + 0.1 * (rank == who) for rank in range(made.ranks)]
        since = [0.05 + 0.1 * (rank == who) for rank in range(made.ranks)]
        made.instance("MPI_Barrier", number + 1, arrivals, begin + 0.1, since=since)
        waited = [seconds + 0.1 * (rank != who) for rank, seconds in enumerate(waited)]
    for rank, seconds in enumerate(waited):
        made.call(rank, "MPI_Barrier", seconds, calls=calls)
    return made


def test_ids_are_those_of_the_files() -> None:
    import rankwise.findings.rules as package

    files = {path.stem for path in Path(package.__file__).parent.glob("*.py")} - {"__init__"}
    assert sorted(rule.id.replace("-", "_") for rule in RULES) == sorted(files)


def test_every_rule_is_documented() -> None:
    documented = sections("explain.md")
    for rule in RULES:
        words = " ".join(documented[rule.id].split())
        for text in (rule.looks_for, rule.when, rule.formula, rule.advice):
            assert text in words


def test_every_metric_is_documented() -> None:
    rows = dict(table(sections("explain.md")["Efficiency"]))
    assert rows == {f"`{metric.name}`": metric.formula for metric in METRICS}


def test_a_late_rank(golden: Golden) -> None:
    finding = found_in(barriers(Made(), [2]), "late-ranks")
    assert finding.saved_seconds == pytest.approx(6.0)  # 20 times 0.1 s of three ranks
    assert finding.upper_bound
    assert finding.title.startswith("Rank 2 arrives late")
    assert "100.0 % of all waiting" in finding.title
    # In blocking collectives, for messages, of all waiting; outside of MPI; and why they came late.
    facts = [*finding.inputs, *finding.evidence]
    assert [fact.value for fact in facts] == pytest.approx([6.0, 0, 100, 20 / 17, 6.0, 0, 0])
    golden.says("\n".join(fact.what for fact in facts))
    assert finding.confidence == HIGH
    assert (finding.command.verb, finding.command.options) == ("show", ("--by", "waiting"))


def test_two_that_are_about_equally_late_are_named_together() -> None:
    """Rank 2 comes 0.1 s after 0 and 1, rank 3 0.01 s after it."""
    made = Made()
    for number in range(20):
        begin = 0.2 * number
        made.instance("MPI_Barrier", number + 1, [begin, begin, begin + 0.1, begin + 0.11], begin + 0.11)
    for rank, seconds in enumerate((2.2, 2.2, 0.2, 0.0)):
        made.call(rank, "MPI_Barrier", seconds, calls=20)
    finding = found_in(made, "late-ranks")
    assert finding.title.startswith("Ranks 2-3 arrive late")
    assert finding.saved_seconds == pytest.approx(4.6)  # 20 times 0.11 s of two ranks, and 0.01 s of rank 2


def test_who_is_still_in_the_call_before_is_not_late() -> None:
    """Rank 0 leaves each call 0.1 s after the others, which wait for it in the next one."""
    made = Made()
    for number in range(20):
        begin = 0.2 * number
        arrivals = [begin + 0.1, begin, begin, begin]
        made.instance("MPI_Barrier", number + 1, arrivals, begin + 0.1, since=[0.0, 0.0, 0.0, 0.0])
    for rank in range(4):
        made.call(rank, "MPI_Barrier", 2.0 * (rank > 0), calls=20)
    assert answer_to(made, "late-ranks") == []


def test_what_others_waited_while_it_left_the_call_before_is_told_apart(golden: Golden) -> None:
    """Rank 2 is 0.1 s late to each call: 0.02 s because it left the one before later, 0.08 s by computing."""
    made = Made()
    for number in range(20):
        begin = 0.2 * number
        arrivals = [begin, begin, begin + 0.1, begin]
        made.instance("MPI_Barrier", number + 1, arrivals, begin + 0.1, since=[0.0, 0.0, 0.08, 0.0])
    for rank in range(4):
        made.call(rank, "MPI_Barrier", 2.0 * (rank != 2), calls=20)
    title = found_in(made, "late-ranks").title
    assert "others wait 4.80 s, 80.0 % of all waiting" in title
    golden.says(title, "1.20 s")


def test_what_is_known_of_few_messages_is_not_sure() -> None:
    def waits_beside(seconds: float) -> Made:
        made = Made()
        for rank in (0, 2, 3):
            made.call(rank, "MPI_Recv", 3.0, size_bin=4)
            made.call(rank, "MPI_Waitall", seconds)
            made.wait(rank, "MPI_Recv", 1, 1.0, 4.0, 3.5)
        return made

    assert found_in(waits_beside(2.4), "late-ranks").confidence == LOW
    # There may be more waiting than is known: for whom, nobody knows.
    assert isinstance(answer_to(waits_beside(30.0), "late-ranks"), str)


def test_computing_is_named_where_it_explains_the_lateness(golden: Golden) -> None:
    golden.says(found_in(barriers(Made(), [2]), "late-ranks").title, "1.18 x")
    # It computes longer than the others here, too, but by much less than it is late.
    made = barriers(Made(), [2])
    for rank, seconds in enumerate((6.5, 6.5, 8.0, 6.5)):
        made.call(rank, "MPI_Isend", seconds)
    assert "computing" not in found_in(made, "late-ranks").title


def test_who_is_late_among_more_ranks_than_processors_may_have_had_none() -> None:
    assert found_in(barriers(Made(cpus="0-1"), [2]), "late-ranks").confidence == LOW


@pytest.mark.parametrize(
    ("without", "confidence"), [(None, LOW), (0.9, LOW), (0.1, HIGH)], ids=["unknown", "long", "hardly"]
)
def test_a_late_rank_that_had_a_processor_is_late_for_another_reason(
    without: float | None, confidence: str
) -> None:
    made = barriers(Made(cpus="0-1"), [2])
    late = found_in(made, "late-ranks")
    lateness = late.inputs[0].value
    assert isinstance(lateness, float)
    waited = (
        None if without is None else without * lateness / 4
    )  # of the four ranks all wait while one is late
    for rank in range(4):
        made.insert(
            "places", rank=rank, omp_proc_bind="", omp_places="", run_queue_wait=waited if rank == 2 else 9.0
        )
    finding = found_in(made, "late-ranks")
    assert (finding.confidence, finding.saved_seconds) == (confidence, late.saved_seconds)


def test_who_is_late_may_have_lost_its_processor_to_others() -> None:
    """Rank 1 lost its processor: of rank 2 that explains nothing."""
    for late, confidence in (([1], LOW), ([2], HIGH)):
        assert found_in(barriers(switching(1000, 7.0), late), "late-ranks").confidence == confidence


def test_a_late_sender_is_a_late_rank() -> None:
    made = Made()
    for rank in (0, 2, 3):
        made.call(rank, "MPI_Recv", 3.0, size_bin=4)
        made.wait(rank, "MPI_Recv", 1, 1.0, 4.0, 3.5)
    finding = found_in(made, "late-ranks")
    assert finding.title.startswith("Rank 1 arrives late")
    assert finding.saved_seconds == pytest.approx(7.5)


def test_the_ranks_of_a_late_node() -> None:
    hosts = ["n1"] * 4 + ["n2"] * 4
    made = barriers(Made(8, hosts), [4, 5, 6, 7])
    for rank in range(8):
        made.connection.execute("UPDATE ranks SET clock_error = 0 WHERE rank = ?", (rank,))
    finding = found_in(made, "late-ranks")
    assert finding.title.startswith("The ranks of n2 (4-7) arrive late")


def test_when_all_are_late_in_turns_nobody_is() -> None:
    assert answer_to(barriers(Made(), [0, 1, 2, 3]), "late-ranks") == []
    assert answer_to(barriers(Made(2), [0, 1]), "late-ranks") == []


def test_without_arrivals_nobody_knows_who_is_late(golden: Golden) -> None:
    made = Made()
    made.call(0, "MPI_Win_fence", 5.0)
    golden.says(answer_to(made, "late-ranks"))


def test_a_collective_that_is_waiting(golden: Golden) -> None:
    finding = found_in(barriers(Made(), [0, 1, 2, 3]), "waiting-collective")
    golden.says(finding.title, "100.0 % .. 6.00 s .. Barrier .. W")
    assert finding.saved_seconds == pytest.approx(6.0)
    assert finding.confidence == MEDIUM
    assert finding.command.options == ("--by", "waiting", "--call", "Barrier")


def test_who_is_late_in_turns_may_have_lost_processors_to_others() -> None:
    for made in (switching(1000, 7.0), Made(cpus="0-1")):
        finding = found_in(barriers(made, [0, 1, 2, 3]), "waiting-collective")
        assert (finding.confidence, finding.saved_seconds) == (LOW, pytest.approx(6.0))


def test_one_call_is_told_as_one() -> None:
    finding = found_in(barriers(Made(), [0, 1, 2, 3], 8), "waiting-collective")
    assert (finding.confidence, finding.why_confidence) == (LOW, "there were only 8 calls")
    waiting = barriers(Made(), [0]).seen.waiting
    assert waiting is not None
    single = waiting_collective._finding(replace(waiting.families[0], kept=1), "W", 0.0, "")
    assert single.why_confidence == "there was only 1 call"


def test_what_a_library_made_goes_by_its_name() -> None:
    made = barriers(Made(), [0, 1, 2, 3])
    made.connection.execute("UPDATE communicators SET family = 'libpetsc_real: W'")
    assert " in Barrier on libpetsc_real: W is " in found_in(made, "waiting-collective").title
    made = patterned(2**20, 3, 3 * 2**20)
    made.connection.execute("UPDATE communicators SET family = 'libpetsc_real: W'")
    assert " on libpetsc_real: W uses " in found_in(made, "collective-algorithm").title


def test_what_is_for_one_rank_is_told_once() -> None:
    assert answer_to(barriers(Made(), [2]), "waiting-collective") == []


def test_a_collective_that_transfers_is_not_waiting() -> None:
    made = Made(2)
    for rank in range(2):
        made.call(rank, "MPI_Allreduce", 2.0 + rank)
    made.instance("MPI_Allreduce", 1, (0.0, 1.0), 3.0)
    assert answer_to(made, "waiting-collective") == []


def patterned(size: int, messages: int, volume: int, processes: int = 8) -> Made:
    """An Allreduce in each of whose calls process 0 sends so much; all others nothing."""
    made = Made(processes)
    for rank in range(processes):
        made.call(rank, "MPI_Allreduce", 1.0, size_bin=size.bit_length(), sent=size)
    made.connection.execute(
        "UPDATE ranks SET transport = 'openmpi-pml', transport_state = 'active',"
        " transport_sees = 'between-nodes within-node nonblocking'"
    )
    [(allreduce,)] = made.connection.execute("SELECT id FROM procedures WHERE name = 'MPI_Allreduce'")
    made.insert(
        "patterns", id=1, communicator=3, procedure=allreduce, size=size, calls=1, kept_call=1, complete=1
    )
    peers = processes - 1
    for rank in range(processes):
        for other in (rank ^ step for step in (1, 2, 4)) if messages == 3 else range(processes):
            if other != rank:
                made.insert(
                    "pattern_messages",
                    pattern=1,
                    source=rank,
                    destination=other,
                    messages=1,
                    bytes=volume // (3 if messages == 3 else peers),
                )
                made.message(rank, other, volume // messages, "in-collective")
    return made


def test_an_algorithm_with_more_bytes_than_needed(golden: Golden) -> None:
    # Recursive doubling of 1 MiB: 3 times the message; a ring has 2 * 7 / 8 times as much.
    finding = found_in(patterned(2**20, 3, 3 * 2**20), "collective-algorithm")
    golden.says(finding.title)
    assert finding.saved_seconds == pytest.approx(8 * (1 - 1.75 / 3))
    assert finding.confidence == LOW
    assert finding.command.verb == "tune"


def test_an_algorithm_that_fits_the_size() -> None:
    assert answer_to(patterned(8, 3, 24), "collective-algorithm") == []


def test_what_goes_on_inside_is_not_seen(golden: Golden) -> None:
    made = Made()
    assert answer_to(made, "collective-algorithm") == []
    made.call(0, "MPI_Allreduce", 1.0, size_bin=4, sent=8)
    answer = answer_to(made, "collective-algorithm")
    golden.says(answer)


def ring(hosts: list[str], *, reorder: int = 0, reordered: int = 0, members: str = "0-3") -> Made:
    """Each of four ranks sends 1000 bytes to the one that is two further on, which takes a second."""
    made = Made(4, hosts)
    for rank in range(4):
        made.message(rank, (rank + 2) % 4, 1000)
        made.call(rank, "MPI_Send", 1.0, size_bin=10, sent=1000)
    if reorder:
        made.communicator(
            4,
            "W_a1",
            procedure="MPI_Cart_create",
            parent=3,
            reorder=1,
            reordered=reordered,
            members=members,
            topology="cart",
        )
        made.call(0, "MPI_Barrier", 0.001, communicator=4)
    return made


def test_traffic_that_another_order_keeps_on_the_nodes() -> None:
    finding = found_in(ring(["a", "a", "b", "b"]), "off-node-traffic")
    assert finding.saved_seconds == pytest.approx(4.0)  # all of it
    assert finding.title == "100.0 % of 3.91 KiB leave their nodes; another order keeps 100.0 % of that"
    assert finding.command.verb == "map"


@pytest.mark.parametrize(
    "hosts",
    [
        ["a", "b", "a", "b"],  # all is on the nodes already
        ["a", "a", "a", "a"],
        ["a", "b", "c", "d"],  # nothing can be
    ],
)
def test_traffic_that_no_order_keeps_on_the_nodes(hosts: list[str]) -> None:
    assert answer_to(ring(hosts), "off-node-traffic") == []


def test_reorder_is_asked_and_not_done() -> None:
    finding = found_in(ring(["a", "a", "b", "b"], reorder=1), "reorder-not-done")
    assert finding.command.options == ("--reorder",)
    assert finding.title.startswith("W_a1 may be reordered but is not")


@pytest.mark.parametrize(
    ("hosts", "reordered", "members"),
    [
        (["a", "b", "a", "b"], 0, "0-3"),  # it would be good for nothing
        (["a", "a", "b", "b"], 1, "0,2,1,3"),
        (["a", "a", "b", "b"], 0, "0,2,1,3"),  # the MPI library did it
    ],
)
def test_reorder_is_done_or_useless(hosts: list[str], reordered: int, members: str) -> None:
    made = ring(hosts, reorder=1, reordered=reordered, members=members)
    assert answer_to(made, "reorder-not-done") == []


def sends(sizes: list[int], waited: float, *, library: str = "openmpi", host: str = "") -> Made:
    """Sends of these sizes, each of which waits so long for its receiver."""
    made = Made(2, ["a", host] if host else ())
    made.connection.execute("UPDATE run SET mpi_abi = ?", (library,))
    for number, size in enumerate(sizes):
        begin = 1.0 * number
        made.wait(0, "MPI_Send", 1, begin, begin + waited, begin + 0.9 * waited, sends=True, size=size)
    made.call(0, "MPI_Send", waited * len(sizes), calls=len(sizes), size_bin=13, sent=sum(sizes))
    return made


def test_messages_a_little_too_large_to_be_buffered(golden: Golden) -> None:
    finding = found_in(sends([8192, 6000, 6000, 6000], 0.5), "eager-threshold")
    golden.says(finding.title, "5.86 KiB .. 8.00 KiB .. 1.80 s")
    assert finding.saved_seconds == pytest.approx(1.8)


def test_what_is_buffered_is_also_seen() -> None:
    made = sends([8192] * 4, 0.5, library="mpich")
    made.wait(0, "MPI_Send", 1, 8.0, 8.1, 9.0, sends=True, size=5000)
    made.call(0, "MPI_Send", 0.1, size_bin=14, sent=5000)
    assert found_in(made, "eager-threshold").saved_seconds == pytest.approx(1.8)


def test_receivers_may_be_late_as_they_had_no_processor() -> None:
    made = sends([8192, 6000, 6000, 6000], 0.5)
    assert found_in(made, "eager-threshold").confidence == MEDIUM
    made.connection.execute("UPDATE ranks SET cpus_allowed = '0'")
    assert found_in(made, "eager-threshold").confidence == LOW


def test_messages_much_too_large_to_be_buffered() -> None:
    assert answer_to(sends([2**20] * 4, 0.5), "eager-threshold") == []


def test_few_messages_a_little_too_large() -> None:
    assert answer_to(sends([8192] + [2**20] * 19, 0.1), "eager-threshold") == []


def test_synchronous_sends_are_never_buffered(golden: Golden) -> None:
    made = Made(2)
    made.wait(0, "MPI_Ssend", 1, 0.0, 1.0, 0.9, sends=True, size=8192)
    made.call(0, "MPI_Ssend", 1.0, size_bin=14, sent=8192)
    golden.says(answer_to(made, "eager-threshold"))


def test_nobody_knows_what_is_buffered(golden: Golden) -> None:
    answer = answer_to(sends([8192] * 4, 0.5, library="mpich"), "eager-threshold")
    golden.says(answer)


@pytest.mark.reported("verdict/eager")
def test_it_is_not_proven_that_sends_wait(golden: Golden) -> None:
    golden.says(answer_to(sends([8192] * 2, 0.5), "eager-threshold"))
    golden.says(answer_to(sends([8] * 9, 0.5, library="mpich"), "eager-threshold"))


def test_more_ranks_than_processors() -> None:
    made = Made(4, cpus="0-1")
    made.connection.execute('UPDATE ranks SET "user" = 5.0')
    finding = found_in(made, "oversubscribed")
    assert finding.saved_seconds == pytest.approx(20.0)
    assert finding.title == "4 ranks share 2 processors on node: time slicing"
    assert finding.confidence == HIGH


def test_as_many_ranks_as_processors() -> None:
    assert answer_to(Made(4, cpus="0-3"), "oversubscribed") == []
    assert answer_to(Made(4, ["a", "a", "b", "b"], cpus="0-1"), "oversubscribed") == []


def test_processors_are_not_known(golden: Golden) -> None:
    answer = answer_to(Made(4, cpus=""), "oversubscribed")
    golden.says(answer)


def test_more_ranks_than_processors_of_which_some_were_free() -> None:
    made = Made(4, cpus="0-1")
    assert found_in(made, "oversubscribed").confidence == LOW  # nobody knows
    made.connection.execute('UPDATE ranks SET "user" = 3.0')
    finding = found_in(made, "oversubscribed")
    assert finding.title == "4 ranks share 2 processors on node"
    assert finding.why_confidence.startswith("the ranks used 60 % of these processors")
    made.connection.execute('UPDATE ranks SET "user" = 1.0')
    finding = found_in(made, "oversubscribed")  # it is said, and costs nothing
    assert (finding.saved_seconds, finding.confidence) == (0.0, LOW)
    # What was counted between MPI_Init and MPI_Finalize is more exact.
    for rank in range(4):
        made.insert("system_counters", rank=rank, region=0, task_clock=4.9, scaled=0)
    assert found_in(made, "oversubscribed").confidence == HIGH


def bound(*cpus: str, threads: int | None = None) -> Made:
    """Ranks of 10 s on a node of eight processors, each bound to some, which they use."""
    made = Made(len(cpus))
    made.connection.execute('UPDATE ranks SET "user" = 5.0')
    made.insert("node_shapes", host="node", shape=1)
    for processor in range(8):
        made.insert("shape_processors", shape=1, processor=processor, core=processor, kind="any")
    for rank, mine in enumerate(cpus):
        made.connection.execute("UPDATE ranks SET cpus_allowed = ? WHERE rank = ?", (mine, rank))
        made.insert("places", rank=rank, seen="", omp_threads=threads, omp_proc_bind="", omp_places="")
    return made


def test_ranks_that_are_bound_to_one_core(golden: Golden) -> None:
    finding = found_in(bound("3", "3", "4-5", "6-7"), "badly-bound")
    golden.says(finding.title, "0-1 .. 3 .. 3")
    assert finding.saved_seconds == pytest.approx(10.0)  # half of two ranks' 10 s
    assert finding.confidence == HIGH
    assert (finding.command.verb, finding.command.options) == ("show", ("--by", "node"))


def test_threads_that_are_bound_to_one_core(golden: Golden) -> None:
    finding = found_in(bound("2", "3", threads=4), "badly-bound")
    golden.says(finding.title, "0 .. 4 .. OMP_NUM_THREADS=4 .. 1 .. 6 .. 1 .. 0-1")
    assert finding.saved_seconds == pytest.approx(7.5)  # three quarters of two ranks' 5 s on a processor
    assert finding.confidence == LOW  # they took half of these processors


def test_threads_that_openmp_binds_are_bound() -> None:
    """OpenMP has bound the first thread of each rank to a core before MPI_Init, and the second one later."""
    made = bound("0", "2", threads=2)
    assert answer_to(made, "badly-bound") != []
    made.connection.execute("UPDATE places SET omp_proc_bind = 'close'")
    for rank in range(2):
        for thread in range(2):
            core = 2 * rank + thread
            made.insert(
                "tasks", rank=rank, tid=core, name="", cpus_allowed=f"{core}", processor=core, busy=5.0
            )
    assert answer_to(made, "badly-bound") == []
    assert [place.cpus for place in node_places(made.connection)[0].ranks] == [(0, 1), (2, 3)]


def test_ranks_that_are_bound_as_they_should_be() -> None:
    assert answer_to(bound("0-1", "2-3", threads=2), "badly-bound") == []
    assert answer_to(bound("0-7", "0-7"), "badly-bound") == []  # not bound at all, but there is room
    assert answer_to(bound("0", "0"), "badly-bound") == []  # "oversubscribed" tells


def test_nobody_knows_which_processors_there_are() -> None:
    answer = "the profile does not record which processors the nodes have"
    assert answer_to(Made(4), "badly-bound") == answer


def switching(involuntary: int, task: float | None, cpus: str = "0-63") -> Made:
    """Four ranks of 10 s; rank 1 lost its processor so often, and had one for so long."""
    return switched(Made(4, cpus=cpus), involuntary, task)


def switched(made: Made, involuntary: int, task: float | None) -> Made:
    for rank in range(4):
        made.insert(
            "system_counters",
            rank=rank,
            region=0,
            involuntary_switches=involuntary if rank == 1 else 5,
            task_clock=task if rank == 1 else 10.0,
            scaled=0,
        )
    return made


@pytest.mark.parametrize(
    ("late", "rule"), [([2], "late-ranks"), ([1], "late-ranks"), ([0, 1, 2, 3], "waiting-collective")]
)
def test_who_lacked_a_processor_may_be_late_for_that(late: list[int], rule: str) -> None:
    """Rank 1 is preempted: that says nothing of rank 2, but of whoever is late now and then."""
    alone, beside = (barriers(Made(4, cpus="0-63"), late) for _ in range(2))
    doubtful = found_in(switched(beside, 1000, 7.0), rule).confidence == LOW
    assert found_in(alone, rule).confidence != LOW
    assert doubtful is (1 in late)


def test_of_two_ranks_one_is_always_last_in_half_of_the_calls() -> None:
    waiting = barriers(Made(), [0, 1, 2, 3]).seen.waiting
    assert waiting is not None
    row = replace(waiting.families[0], last_percent=60.0)
    two, four = (
        waiting_collective._finding(replace(row, size_min=size), "W", 0.0, "").why_confidence
        for size in (2, 4)
    )
    first = waiting_collective._finding(replace(row, last_percent=10.0), "W", 0.0, "").why_confidence
    assert first == two != four


def test_a_rank_that_lost_its_processor(golden: Golden) -> None:
    finding = found_in(switching(1000, 7.0), "preempted")
    golden.says(finding.title, "1 .. 100")
    assert finding.saved_seconds == pytest.approx(3.0)
    assert finding.confidence == LOW  # it may have slept
    made = switching(1000, 7.0)
    made.connection.execute("UPDATE ranks SET threads = 4")  # their time is not that of the run
    assert found_in(made, "preempted").saved_seconds == pytest.approx(3.0)


def test_ranks_that_kept_their_processors(golden: Golden) -> None:
    assert answer_to(switching(100, 7.0), "preempted") == []  # it slept
    assert answer_to(switching(1000, 9.9), "preempted") == []  # not for long
    assert answer_to(switching(1000, 7.0, cpus="0"), "preempted") == []  # there were too few
    assert answer_to(switching(30_000, 7.0), "preempted") == []  # it gave its processor up itself
    golden.says(answer_to(switching(1000, None), "preempted"))
    golden.says(answer_to(Made(), "preempted"))


def test_very_many_small_messages() -> None:
    made = Made(2)
    made.call(0, "MPI_Send", 2.0, calls=400_000, size_bin=4, sent=400_000 * 8)
    made.call(0, "MPI_Send", 1.0, calls=1000, size_bin=20, sent=10**9)
    finding = found_in(made, "tiny-messages")
    assert finding.saved_seconds == pytest.approx(2.0)
    assert finding.confidence == MEDIUM  # 20 000 a second of a rank


def test_few_small_messages_or_many_large_ones() -> None:
    made = Made(2)
    made.call(0, "MPI_Send", 2.0, calls=4000, size_bin=4, sent=4000 * 8)
    assert answer_to(made, "tiny-messages") == []
    made.call(1, "MPI_Send", 2.0, calls=400_000, size_bin=12, sent=400_000 * 3000)
    assert answer_to(made, "tiny-messages") == []


def test_a_program_that_polls(golden: Golden) -> None:
    made = Made(2)
    made.call(0, "MPI_Iprobe", 3.0, calls=1_000_000)
    made.call(1, "MPI_Test", 1.0, calls=10)
    assert found_in(made, "polling").saved_seconds == pytest.approx(4.0)  # what asking takes is not known
    made.connection.execute("UPDATE ranks SET overhead = 0.06, setup_overhead = 0.05 WHERE rank = 0")
    finding = found_in(made, "polling")
    assert finding.saved_seconds == pytest.approx(0.01)  # the price of asking; the rest of the 4 s waited
    golden.says(finding.title, "1.00 M .. Iprobe .. 1 .. 50.0 k")
    assert finding.command.options == ("--by", "call", "--call", "Iprobe,Test")


def test_a_program_that_asks_now_and_then() -> None:
    made = Made(2)
    made.call(0, "MPI_Iprobe", 3.0, calls=10_000)
    made.call(0, "MPI_Probe", 3.0, calls=1_000_000)
    assert answer_to(made, "polling") == []
    short = Made(2, runs=[0.001, 0.001])
    short.call(0, "MPI_Iprobe", 0.0005, calls=10)
    assert answer_to(short, "polling") == []


def duplicates(freed: float | None, count: int = 40, **values: object) -> Made:
    made = Made(2)
    for number in range(count):
        made.communicator(
            10 + number,
            f"W_d{number}",
            family="W_d*",
            procedure="MPI_Comm_dup",
            parent=3,
            freed=freed,
            created_in="app",
            **values,
        )
    made.call(0, "MPI_Comm_dup", 4.0, calls=count)
    return made


def test_communicators_that_are_never_freed() -> None:
    finding = found_in(duplicates(None), "communicators-not-freed")
    assert finding.saved_seconds == pytest.approx(4.0 * 39 / 40)
    assert finding.upper_bound
    assert finding.title.startswith("40 communicators created by Comm_dup (in app) were never freed")


def test_windows_that_are_never_freed() -> None:
    assert "40 windows" in found_in(duplicates(None, type="window"), "communicators-not-freed").title


def test_communicators_that_are_freed_or_few() -> None:
    assert answer_to(duplicates(1.0), "communicators-not-freed") == []
    assert answer_to(duplicates(None, 15), "communicators-not-freed") == []


def test_communicators_of_different_processes_are_no_loop() -> None:
    made = duplicates(None, 40)
    made.connection.execute("UPDATE communicators SET members = (id - 10) || '-' || (id - 9) WHERE id >= 10")
    assert answer_to(made, "communicators-not-freed") == []


def files(seconds: list[float]) -> Made:
    made = Made(len(seconds))
    made.insert("files", id=1, name="out.dat", communicator=3, mode="create", opens=4)
    [(write,)] = made.connection.execute("SELECT id FROM procedures WHERE name = 'MPI_File_write'")
    for rank, time in enumerate(seconds):
        if time:
            made.insert(
                "file_accesses", rank=rank, file=1, procedure=write, accesses=1, bytes_written=8, seconds=time
            )
            made.call(rank, "MPI_File_write", time)
    return made


def test_one_rank_writes_for_all(golden: Golden) -> None:
    finding = found_in(files([0.0, 4.0, 0.0, 0.0]), "unbalanced-files")
    assert finding.saved_seconds == pytest.approx(12.0)
    golden.says(finding.title, "1 .. 4.00 s .. 4.00 x")


def test_all_write_alike() -> None:
    assert answer_to(files([1.0, 1.0, 1.2, 1.1]), "unbalanced-files") == []
    assert answer_to(Made(), "unbalanced-files") == []


def test_a_quiet_run_has_no_findings() -> None:
    result = findings(Made().seen)
    assert result.found == []
    assert result.in_summary == []
    assert {entry.rule for entry in result.silent} | set(result.nothing) == {rule.id for rule in RULES}


def test_what_saves_most_comes_first_and_little_is_not_in_the_summary() -> None:
    made = barriers(Made(cpus="0-1"), [0, 1, 2, 3])  # 6 s of 40, not sure; 20 s of 40
    made.call(0, "MPI_Iprobe", 0.1, calls=1_000_000)
    result = findings(made.seen)
    assert [entry.finding.rule for entry in result.found] == [
        "oversubscribed",
        "waiting-collective",
        "polling",
    ]
    weights = [entry.finding.saved_seconds * WEIGHTS[entry.finding.confidence] for entry in result.found]
    assert weights == sorted(weights, reverse=True)
    assert [entry.finding.rule for entry in result.in_summary] == ["oversubscribed", "waiting-collective"]
    assert result.found[0].saved_percent_of_run == pytest.approx(50.0)
    assert result.found[2].saved_percent_of_run < LEAST_PERCENT
    assert len(result.in_summary) <= MOST_IN_SUMMARY


def test_no_rule_makes_the_whole_table_of_communicators() -> None:
    """With very many it takes seconds. What was left, and made again, are questions to SQL."""
    seen = barriers(duplicates(None), [0, 1]).seen
    assert {entry.finding.rule for entry in findings(seen).found} >= {"communicators-not-freed"}
    assert "communicators" not in vars(seen)


def test_confidence_stands_beside_what_could_be_saved() -> None:
    first = findings(barriers(Made(), [2]).seen).found[0]
    assert sure_share_text(first) == "up to 15.0 % (high)"


def test_collective_access_to_files_is_waiting() -> None:
    """In MPI_File_write_all who came first takes longest."""
    made = files([0.0, 4.0, 0.0, 0.0])
    together = "(SELECT id FROM procedures WHERE name = 'MPI_File_write_at_all')"
    made.connection.execute(f"UPDATE file_accesses SET procedure = {together}")
    assert answer_to(made, "unbalanced-files") == []


def test_what_is_saved_by_another_order_is_no_waiting() -> None:
    """Each send waits for its receiver for half of its time, as far as it is known."""
    made = ring(["a", "a", "b", "b"])
    made.connection.execute("UPDATE ranks SET clock_error = 0")
    for rank in range(2):
        made.wait(rank, "MPI_Send", (rank + 2) % 4, 1.0, 2.0, 1.5, sends=True, size=1000)
    synchronous = "(SELECT id FROM procedures WHERE name = 'MPI_Ssend')"
    made.connection.execute(f"UPDATE wait_messages SET procedure = {synchronous}")
    finding = found_in(made, "off-node-traffic")
    assert finding.saved_seconds == pytest.approx(2.0)
    assert finding.confidence == LOW  # of half of the time it is known


def test_waiting_for_who_left_the_call_before_late_is_not_saved() -> None:
    """In turns ranks come 0.1 s late, as they leave each call so much later."""
    made = barriers(Made(), [0, 1, 2, 3])
    made.connection.execute("UPDATE arrivals SET since = 0.05")
    finding = found_in(made, "waiting-collective")
    assert finding.saved_seconds == pytest.approx(0.0, abs=1e-6)
    assert finding.inputs[0].value == pytest.approx(6.0)


def test_what_sends_and_receives_also_waits() -> None:
    made = Made(2)
    made.call(0, "MPI_Sendrecv", 2.0, calls=400_000, size_bin=4, sent=400_000 * 8)
    made.call(0, "MPI_Send", 1.0, calls=100_000, size_bin=4, sent=100_000 * 8)
    assert found_in(made, "tiny-messages").saved_seconds == pytest.approx(1.0)
