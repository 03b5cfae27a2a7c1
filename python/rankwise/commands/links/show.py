"""Prints what `rankwise links` answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rankwise.analysis.to_json import to_json
from rankwise.commands.fabric_options import lid_offset_of
from rankwise.commands.links.gather import Request, everywhere
from rankwise.commands.links.map_lines import map_lines
from rankwise.network.answer import Answer
from rankwise.network.fabric.model import Fabric
from rankwise.network.host_flows import host_flows
from rankwise.network.hot_links import hot_links
from rankwise.network.phases import LoadsByPhase
from rankwise.network.quality import quality
from rankwise.network.switches import switch_loads
from rankwise.render.terminal.links import print_links
from rankwise.render.terminal.page import Page
from rankwise.views.links import link_tables as tables
from rankwise.views.links import phases, sentences
from rankwise.views.links.advice import advice
from rankwise.views.links.data import answer_data, fabric_data
from rankwise.views.links.verdict import busiest_phase, verdict_of
from rankwise.views.view import Table, View

_TOLD = 5
"""Hot links on the first screen."""


def show(answer: Answer, what: str, more: Sequence[str], asked: Request) -> None:
    """Print an answer.

    Args:
        answer: the answer.
        what: description of the messages.
        more: notes on the profile.
        asked: by the command line.
    """
    head = sentences.joined(answer.loads, what)
    verdict = verdict_of(answer)
    advised = advice(answer, of_run=bool(asked.profile))
    phase = busiest_phase(answer.loads.fabric, answer.share)
    findings = [*([f"{phase}."] if phase else []), *sentences.blamed(answer), *advised.sentences]
    commands = map_lines(answer.loads, asked, advised.objective)
    routes = [
        *filter(None, [sentences.passed(answer.loads)]),
        *sentences.worth(answer.quality, answer.loads.fabric),
    ]
    notes = sentences.notes(answer.loads, more)
    key, rows, shown = _tables(answer, asked)
    if asked.json:
        said = {"matched": head, "verdict": f"{verdict}.", "sentences": [*findings, *routes], "notes": notes}
        said |= {"commands": commands}
        _print_json({**said, **answer_data(answer), **({key: rows} if key else {})})
        return
    tail = notes if key else [*findings, *routes, *notes]
    print_links(head, View(verdict, shown, {}), tail, asked.limit, sys.stdout, () if key else commands)


def _tables(answer: Answer, asked: Request) -> tuple[str, Sequence[object], list[Table]]:
    """Return the rows that are asked for, their key in JSON, and the tables."""
    if asked.by is None:
        few = replace(answer, hot=answer.hot[:_TOLD])
        return (
            "",
            (),
            [tables.classes(answer), tables.hot(few), tables.causes(answer), tables.what_if(answer)],
        )
    if asked.by == "class":
        return "", (), [tables.classes(answer)]
    if asked.by == "link":
        links = hot_links(answer.loads, asked.limit, with_hosts=True, known=answer.hot)
        return "links", links, [tables.links(answer, links)]
    if asked.by == "switch":
        switches = switch_loads(answer.loads)
        return "switches", switches, [tables.switches(answer, switches)]
    flows = host_flows(answer.loads, asked.limit)
    return "flows", flows, [tables.flows(answer, flows)]


def show_phases(loads: LoadsByPhase, what: str, more: Sequence[str], asked: Request) -> None:
    """Print loads by phases; the others as of `show`."""
    head, verdict = sentences.joined(loads.run, what), phases.phase_verdict(loads)
    findings = phases.phase_sentences(loads)
    notes = sentences.notes(loads.run, more, by_phase=True)
    if asked.json:
        said = {"matched": head, "verdict": f"{verdict}.", "sentences": findings, "notes": notes}
        _print_json({**said, **phases.phase_data(loads)})
        return
    view = View(verdict, phases.phase_tables(loads), {})
    print_links(head, view, [*findings, *notes], asked.limit, sys.stdout)


def show_fabric(fabric: Fabric, asked: Request) -> None:
    """Print what a fabric is, and what its routes are worth."""
    places = everywhere(fabric, asked.rail)
    lid_offset = lid_offset_of(asked.lid, fabric)
    worth = quality(fabric, places, lid_offset=lid_offset)
    said = [*sentences.fabric_lines(fabric, lid_offset), *sentences.worth(worth, fabric)]
    said += [sentences.sentence_of(warning) for warning in fabric.remarks]
    if asked.json:
        _print_json({"sentences": said, "fabric": fabric_data(fabric, worth)})
        return
    page = Page(sys.stdout)
    for sentence in said:
        page.write(*page.wrapped(sentence, indent=2))


def _print_json(shown: dict[str, Any]) -> None:
    """Print an object, of lists a line for each member: the encoder is slow where it indents."""
    members = (f"  {json.dumps(key)}: {_laid_out(value)}" for key, value in to_json(shown).items())
    sys.stdout.write("{\n" + ",\n".join(members) + "\n}\n")


def _laid_out(value: Any) -> str:
    if value and isinstance(value, list):
        return "[\n" + ",\n".join(f"    {json.dumps(member)}" for member in value) + "\n  ]"
    return json.dumps(value, indent=2).replace("\n", "\n  ")
