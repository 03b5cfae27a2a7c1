"""Nodes of a wait-for graph that can never continue."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

Edges = Mapping[int, Sequence[int]]


def stuck(waits: Edges, any_of: Callable[[int], bool], gone: Callable[[int], bool]) -> set[int]:
    """Return the nodes that can never continue.

    Args:
        waits: for each node, the nodes that it waits for; a node that waits for none continues.
        any_of: whether a node needs only one of its partners.
        gone: whether a node has ended, and so never continues.
    """
    waiters: dict[int, list[int]] = defaultdict(list)
    for node, others in waits.items():
        for other in others:
            waiters[other].append(node)
    missing = {node: min(len(others), 1) if any_of(node) else len(others) for node, others in waits.items()}
    goes_on = [node for node in waits if not missing[node] and not gone(node)]
    continuing = set(goes_on)
    while goes_on:
        for node in waiters[goes_on.pop()]:
            missing[node] -= 1
            if missing[node] <= 0 and node not in continuing and not gone(node):
                continuing.add(node)
                goes_on.append(node)
    return set(waits) - continuing


def components(nodes: Sequence[int], waits: Edges) -> Iterator[list[int]]:
    """Return the strongly connected components, each after all components reachable from it (Tarjan)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    allowed = set(nodes)
    for start in nodes:
        if start in index:
            continue
        work = [(start, iter(waits[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, others = work[-1]
            for other in others:
                if other not in allowed:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(waits[other])))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component: list[int] = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    yield sorted(component)


def way(start: int, ends: Collection[int], waits: Edges, within: set[int]) -> list[int]:
    """Return a shortest path of at least one edge from a node to one of the ends, both included.

    Args:
        start: node.
        ends: nodes; the start itself for the shortest ring.
        waits: for each node, the nodes that it waits for.
        within: the nodes that the path may use.
    """
    came_from: dict[int, int] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in waits[node]:
            if other in ends:
                back = [other, node]
                while back[-1] != start:
                    back.append(came_from[back[-1]])
                return back[::-1]
            if other in within and other not in came_from and other != start:
                came_from[other] = node
                queue.append(other)
    return []


def led_to(nodes: set[int], waits: Edges) -> set[int]:
    """Return these nodes, and all nodes that wait for them directly or indirectly."""
    waiters: dict[int, list[int]] = defaultdict(list)
    for node, others in waits.items():
        for other in others:
            waiters[other].append(node)
    reached, work = set(nodes), list(nodes)
    while work:
        for node in waiters[work.pop()]:
            if node not in reached:
                reached.add(node)
                work.append(node)
    return reached
