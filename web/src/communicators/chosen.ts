/** Facts about the chosen communicator, or family: how it was made, its members, and its use. */
import { element } from "../ui/dom.ts";
import { dataTable, type TableColumn } from "../ui/table.ts";
import type { Context } from "../shell/context.ts";
import { amountsAt, type Amounts } from "../shell/amounts.ts";
import { byteText, countText, percentText, secondText } from "../units.ts";
import type { CommunicatorsData } from "./contract.ts";
import { expanded } from "./members.ts";
import {
  type Branch,
  distinct,
  explanation,
  groupsOf,
  lifeOf,
  makerText,
  parentText,
  sizeText,
} from "./model.ts";

const MOST_RANKS = 20_000;
const SHOWN_GROUPS = 8;
const SHOWN_OPERATIONS = 8;

interface Operation {
  call: string;
  size: string;
  of: Amounts;
}

export function chosenFacts(context: Context, data: CommunicatorsData, branch: Branch): HTMLElement {
  const { run } = context;
  const facts: [string, string | Node][] = [];
  const fact = (name: string, value: string | Node) => {
    if (value) facts.push([name, value]);
  };
  fact("", explanation(branch));
  if (branch.count) {
    const { name } = run.axes.communicators;
    fact("what", distinct(branch, (one) => [data.type[one]]).join(", "));
    fact("name", branch.ones.length === 1 ? name[branch.ones[0]] : branch.name);
    fact("the program's name", distinct(branch, (one) => data.userNames[one]).join(", "));
    fact("n x size", sizeText(branch, data));
    fact("made by", makerText(branch, data));
    fact("made from", parentText(branch, run, data));
    fact("made in", distinct(branch, (one) => data.madeIn[one]).join(", "));
    fact("made at", distinct(branch, (one) => data.madeAt[one]).join(", "));
    fact("life", lifeText(branch, data));
    fact("topology", told(distinct(branch, (one) => [data.topology[one]])));
    fact("reorder", told(distinct(branch, (one) => [data.reorder[one]])));
    fact("members", members(branch, data));
  }
  const list = element(
    "dl",
    facts.flatMap(([name, value]) => [element("dt", name), element("dd", value)]),
  );
  return element("div", [list, operations(context)], "halves");
}

export function lifeText(branch: Branch, data: CommunicatorsData): string {
  const life = lifeOf(branch, data);
  if (!life) return "";
  const begin = life.begin ? secondText(life.begin) : "start";
  return `${begin} – ${life.end === null ? "end (not freed)" : secondText(life.end)}`;
}

function told(values: string[]): string {
  return values.filter((value) => value !== "-").join(", ");
}

/** Each group of processes as a compact list, which opens to all its ranks. */
function members(branch: Branch, data: CommunicatorsData): HTMLElement {
  const { groups, more } = groupsOf(branch, data);
  const lines = groups.slice(0, SHOWN_GROUPS).map((text) => {
    if (!/[-:]/.test(text)) return element("div", text);
    const all = element("p", [], "sub");
    const line = element("details", [element("summary", text), all]);
    line.addEventListener("toggle", () => {
      if (line.open) all.textContent = expanded(text, MOST_RANKS);
    });
    return line;
  });
  const rest = groups.length - lines.length + more;
  if (rest) lines.push(element("div", `and ${rest.toLocaleString("en")} more`, "sub"));
  return element("div", lines, "members");
}

/** Its main uses, in the part of the run that the filters leave. */
function operations(context: Context): HTMLElement {
  const { selection } = context;
  const { axes, cells } = context.run;
  const sizes = axes.sizes.length;
  const sums = selection.sums(
    axes.procedures.name.length * sizes,
    (cell) => cells.procedure[cell] * sizes + cells.size[cell],
  );
  const rows: Operation[] = [];
  let seconds = 0;
  axes.procedures.name.forEach((call, procedure) => {
    axes.sizes.forEach((size, at) => {
      const of = amountsAt(sums, procedure * sizes + at);
      seconds += of.seconds;
      if (of.calls || of.unfinished) rows.push({ call, size, of });
    });
  });
  rows.sort((one, other) => other.of.seconds - one.of.seconds);
  const columns: TableColumn<Operation>[] = [
    { name: "call", meaning: "MPI procedure", text: (row) => row.call, value: (row) => row.call },
    { name: "size", meaning: "of the data of one call", text: (row) => row.size, value: (row) => row.size },
    number("calls", "summed over ranks", (row) => row.of.calls, countText),
    number("sent", "bytes", (row) => row.of.sent, byteText),
    number("time", "summed over ranks", (row) => row.of.seconds, secondText),
    number("%", "of the time in MPI on it", (row) => row.of.seconds / seconds, percentText),
  ];
  return dataTable(columns, rows, {
    label: "operations on it",
    empty: "No call on it is in this part of the run.",
    most: SHOWN_OPERATIONS,
  });
}

function number(
  name: string,
  meaning: string,
  value: (row: Operation) => number,
  text: (value: number) => string,
): TableColumn<Operation> {
  return { name, meaning, right: true, value, text: (row) => (value(row) ? text(value(row)) : "-") };
}
