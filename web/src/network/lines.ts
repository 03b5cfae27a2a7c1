/** The data of each figure, as lines of a CSV file. */
import type { Cell } from "../ui/files.ts";
import { groupSums } from "./causes.ts";
import { causesOf } from "./facts.ts";
import { binned, classesOf } from "./histograms.ts";
import { hottest } from "./hot_links.ts";
import { largest, type View } from "./view.ts";

export type Lines = Cell[][];

export function linkLines(view: View): Lines {
  const lines: Lines = [
    [
      "rail",
      "from",
      "from_port",
      "from_device",
      "to",
      "to_port",
      "to_device",
      "class",
      "bytes",
      "messages",
      "bytes_per_second",
      "lanes",
      "slower_than_parallels",
      "chosen",
      "chosen_is",
    ],
  ];
  view.network.rails.forEach((rail, place) => {
    const {
      source,
      sourcePort,
      destination,
      destinationPort,
      rate,
      width,
      slow,
      class: classOf,
    } = rail.data.links;
    const bytes = rail.sums("bytes", view.mask);
    const messages = rail.sums("messages", view.mask);
    for (let link = 0; link < rail.links; link++)
      lines.push([
        rail.data.name,
        rail.plainName(source[link]),
        sourcePort[link],
        rail.device(source[link]),
        rail.plainName(destination[link]),
        destinationPort[link],
        rail.device(destination[link]),
        view.network.data.classes[classOf[link]],
        bytes[link],
        messages[link],
        rate[link],
        width[link],
        slow[link],
        view.lit ? view.lit.links[place][link] : "",
        view.lit ? sureness(view.lit.estimated.links) : "",
      ]);
  });
  return lines;
}

export function hotLines(view: View): Lines {
  const lines: Lines = [["rail", "link", "class", view.state.unit, "cause", "share"]];
  const { causes, classes } = view.network.data;
  for (const { rail, link, value } of hottest(view)) {
    const one = view.network.rails[rail];
    const name = [one.data.name, one.linkName(link), classes[one.data.links.class[link]], value];
    for (const [cause, part] of causesOf(view, rail, [link])) lines.push([...name, causes[cause], part]);
  }
  return lines;
}

export function pairLines(view: View): Lines {
  const amounts = view.lit?.cells ?? view.cells;
  const lines: Lines = [["from", "to", "from_host", "to_host", view.measure, "amount_is"]];
  const { flows } = view;
  const sure = sureness(view.lit?.estimated.cells ?? false);
  amounts.forEach((amount, cell) => {
    if (amount <= 0) return;
    const ends = [flows.row[cell], flows.column[cell]];
    const names = [...ends.map((end) => flows.blockName(end)), ...ends.map((end) => flows.hostName(end))];
    lines.push([...names, amount, sure]);
  });
  return lines;
}

function sureness(estimated: boolean): string {
  return estimated ? "estimated" : "exact";
}

export function matrixLines(view: View): Lines {
  const { rail, state } = view;
  const lines: Lines = [
    ["lower", "upper", "links", `most_loaded_up_${state.unit}`, `most_loaded_down_${state.unit}`],
  ];
  const values = view.values[state.rail];
  for (const { low, high, up, down } of rail.bundles)
    if (rail.level[low] > 0)
      lines.push([rail.name(low), rail.name(high), up.length, largest(up, values), largest(down, values)]);
  return lines;
}

export function flowLines(view: View): Lines {
  const { flows, network } = view;
  const { source, destination, group, bytes, messages } = flows.data;
  const { groups, communicators, procedures, kinds } = network.data;
  const lines: Lines = [["from", "to", "communicator", "call", "kind", "bytes", "messages"]];
  for (let entry = 0; entry < source.length; entry++) {
    const one = group[entry];
    if (!view.mask[one]) continue;
    lines.push([
      flows.blockName(source[entry]),
      flows.blockName(destination[entry]),
      communicators.label[groups.communicator[one]],
      procedures[groups.procedure[one]],
      kinds[groups.kind[one]],
      bytes[entry],
      messages[entry],
    ]);
  }
  return lines;
}

export function causeLines(view: View): Lines {
  const { groups, communicators, procedures, kinds } = view.network.data;
  const lines: Lines = [["communicator", "call", "kind", view.measure, "chosen"]];
  groupSums(view).forEach((sum, group) => {
    lines.push([
      communicators.label[groups.communicator[group]],
      procedures[groups.procedure[group]],
      kinds[groups.kind[group]],
      sum,
      view.lit ? view.lit.groups[group] : "",
    ]);
  });
  return lines;
}

export function spreadLines(view: View): Lines {
  const lines: Lines = [["class", `from_${view.state.unit}`, `to_${view.state.unit}`, "links"]];
  for (const facts of classesOf(view)) {
    const bins = binned(view, facts);
    bins.links.forEach((links, bin) => {
      lines.push([facts.name, bins.edges[bin], bins.edges[bin + 1], links.length]);
    });
  }
  return lines;
}
