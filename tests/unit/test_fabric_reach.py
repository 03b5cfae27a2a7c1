"""Whether hosts reach each other, against a walk that goes message by message."""

import pytest
from fabrics_made import at_random, tree

from rankwise.network.fabric.model import NO_PORT
from rankwise.network.routes.reach import reach_of

ARRIVES, LOST, LOOPS = range(3)


def outcome(subnet, switch, host, before=()):
    """What the worst of all ways comes to, from a switch to a host port."""
    if switch in before:
        return LOOPS
    outcomes = []
    for port in subnet.forward[switch, subnet.ports.lids[host]]:
        if port == NO_PORT:
            continue
        link = subnet.out[switch, port] if port < subnet.out.shape[1] else -1
        end = int(subnet.links.destination[link]) - len(subnet.switches.names) if link >= 0 else None
        if end is None:
            outcomes.append(LOST)
        elif end >= 0:
            outcomes.append(ARRIVES if end == host else LOST)
        else:
            outcomes.append(outcome(subnet, end + len(subnet.switches.names), host, (*before, switch)))
    return LOST if not outcomes or LOST in outcomes else LOOPS if LOOPS in outcomes else ARRIVES


def counted(subnet):
    hosts = subnet.ports.hosts
    return [
        outcome(subnet, int(subnet.links.destination[subnet.up[sender]]), receiver)
        for sender in range(len(hosts))
        for receiver in range(len(hosts))
        if hosts[sender] != hosts[receiver]
    ]


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_random_tables(seed, split):
    subnet = at_random(seed, split=split, broken=True)
    outcomes = counted(subnet)
    reach = reach_of(subnet)
    assert reach.pairs == len(outcomes)
    assert reach.lost + reach.looping == len(outcomes) - outcomes.count(ARRIVES)
    assert (reach.lost_example is None) == (reach.lost == 0)
    assert (reach.looping_example is None) == (reach.looping == 0)
    if not split:  # of several ways one may be lost, and another go round
        assert (reach.lost, reach.looping) == (outcomes.count(LOST), outcomes.count(LOOPS))


@pytest.mark.parametrize("split", [False, True])
def test_trees_reach_all(split):
    assert reach_of(tree(split=split)) == (0, 0, 12 * 11, None, None)


@pytest.mark.parametrize("destination", [0, 63, 64, 65, 127, 128, 131])
def test_each_of_many_hosts_counts(destination):
    subnet = tree(leaves=11, hosts=12, spines=3)
    assert reach_of(subnet).lost == 0
    subnet.forward[:, subnet.ports.lids[destination]] = NO_PORT
    reach = reach_of(subnet)
    assert (reach.lost, reach.looping) == (11 * 12 - 1, 0)
    assert reach.lost_example is not None
    assert reach.lost_example[1] == destination
