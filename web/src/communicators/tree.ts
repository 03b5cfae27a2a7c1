/** The tree of communicators: lines, columns, open and closed lines. */
import { element } from "../ui/dom.ts";
import { type TreeColumn, treeTable } from "../ui/tree.ts";
import { called } from "../shell/amounts.ts";
import type { Context } from "../shell/context.ts";
import { byteText, countText, percentText, secondText } from "../units.ts";
import type { CommunicatorAmounts } from "./amounts.ts";
import { lifeText } from "./chosen.ts";
import type { CommunicatorsData } from "./contract.ts";
import {
  type Branch,
  distinct,
  explanation,
  lifeOf,
  type Line,
  linesOf,
  listed,
  makerText,
  membersText,
  sizeText,
} from "./model.ts";

export interface TreeState {
  /** Keys of the lines that the user has opened or closed. */
  turned: Set<string>;
  /** Text that a line, or one below, must contain; '' = anything. */
  wanted: string;
}

export function communicatorTree(
  context: Context,
  data: CommunicatorsData,
  roots: readonly Branch[],
  amounts: CommunicatorAmounts,
  state: TreeState,
  turn: (branch: Branch) => void,
): HTMLElement {
  const shown = roots.filter((branch) => isShown(branch, amounts));
  const lines = shownLines(shown, data, state);
  if (!lines.length) return element("p", "No communicator matches.", "empty");
  const { filter } = context.state;
  const waiting = waitingOf(context, data);
  return treeTable(
    columnsOf(data, amounts, waiting),
    lines.map(({ branch, level }) => ({
      row: branch,
      level,
      open: branch.children.length ? isOpen(branch, state) : null,
      key: keyOf(branch),
    })),
    {
      label: "communicators",
      isPicked: (branch) => branch.name !== "" && branch.name === filter.communicator,
      isFaint: (branch) => !branch.name || !amounts.of(branch).seconds,
      pick: (branch) => {
        if (branch.name) context.toggle("communicator", branch.name);
        else turn(branch);
      },
      turn,
    },
  );
}

/** (none), (several) and (other) are lines only if they are in use. */
export function isShown(branch: Branch, amounts: CommunicatorAmounts): boolean {
  return branch.count > 0 || called(amounts.of(branch));
}

export function keyOf(branch: Branch): string {
  return branch.name || `each ${branch.parent?.name ?? ""}`;
}

function isOpen(branch: Branch, { turned, wanted }: TreeState): boolean {
  return wanted !== "" || branch.open !== turned.has(keyOf(branch));
}

function shownLines(roots: readonly Branch[], data: CommunicatorsData, state: TreeState): Line[] {
  const lines = linesOf(roots, (branch) => isOpen(branch, state));
  if (!state.wanted) return lines;
  const found = new Set<Branch>();
  for (const { branch } of lines) {
    const texts = [branch.label, branch.name, makerText(branch, data)].concat(
      distinct(branch, (one) => [...data.madeIn[one], ...data.madeAt[one]]),
    );
    if (!branch.name || !texts.some((text) => text.toLowerCase().includes(state.wanted))) continue;
    for (let at: Branch | null = branch; at; at = at.parent) found.add(at);
  }
  return lines.filter(({ branch }) => found.has(branch));
}

/** Waiting of families in blocking collectives; it is known only for the whole run. */
function waitingOf(context: Context, data: CommunicatorsData): Map<string, number> | null {
  if (!data.waiting.length || !context.without("communicator").everything) return null;
  return new Map(data.waiting.map(([family, , waiting]) => [family, waiting]));
}

function columnsOf(
  data: CommunicatorsData,
  amounts: CommunicatorAmounts,
  waiting: Map<string, number> | null,
): TreeColumn<Branch>[] {
  const number = (name: string, meaning: string, text: (branch: Branch) => string): TreeColumn<Branch> => ({
    name,
    meaning,
    right: true,
    content: (branch) => (branch.name ? text(branch) : ""),
  });
  const some = (value: number, text: (value: number) => string) => (value ? text(value) : "-");
  return [
    {
      name: "communicator",
      meaning:
        "ancestry, and the program's own name; communicators created the same way are one row that opens",
      content: ({ label }) => {
        const shown = element("span", label);
        shown.title = label;
        return [shown];
      },
    },
    number("n x size", "communicators created the same way, and their processes", (branch) =>
      sizeText(branch, data),
    ),
    {
      name: "made by",
      meaning: "procedure that created it, and where it was called",
      content: (branch) => {
        if (!branch.name) return "";
        const texts = [makerText(branch, data), explanation(branch)].filter(Boolean);
        const place =
          listed(distinct(branch, (one) => data.madeAt[one])) ||
          listed(distinct(branch, (one) => data.madeIn[one]));
        const shown = element(
          "span",
          [...texts, ...(place ? [" ", element("span", place, "sub")] : [])],
          "clip",
        );
        shown.title = [...texts, place].filter(Boolean).join(" ");
        return [shown];
      },
    },
    { name: "life", meaning: "from creation to release", content: (branch) => lifeBar(branch, data) },
    number("calls", "summed over ranks", (branch) => some(amounts.of(branch).calls, countText)),
    number("sent", "bytes sent; for collectives, contributed; to files, written", (branch) =>
      some(amounts.of(branch).sent, byteText),
    ),
    {
      name: "time (sum)",
      meaning: "summed over ranks; +: with calls that never returned",
      right: true,
      content: (branch) => {
        if (!branch.name) return "";
        const { seconds, unfinished } = amounts.of(branch);
        if (!seconds) return "-";
        const filled = element("span");
        filled.style.width = `${(100 * Math.min(1, seconds / amounts.all.seconds)).toFixed(1)}%`;
        return [
          element("span", element("span", filled, "bar"), "amount"),
          element("span", secondText(seconds) + (unfinished ? "+" : ""), "of"),
        ];
      },
    },
    number("% of MPI", "of the time in MPI that the filters leave", (branch) =>
      some(amounts.of(branch).seconds, (seconds) =>
        percentText(seconds / amounts.all.seconds).replace(" %", ""),
      ),
    ),
    ...(waiting
      ? [
          number(
            "waiting",
            "in blocking collectives, for ranks that had not arrived; per family",
            (branch) => {
              const known = waiting.get(branch.family);
              return known === undefined ? "" : secondText(known);
            },
          ),
        ]
      : []),
    {
      name: "top operation",
      meaning: "procedure and size with the most time",
      content: (branch) => (branch.name ? amounts.top(branch) || "-" : ""),
    },
    {
      name: "members",
      meaning: "ranks in MPI_COMM_WORLD; of an intercommunicator both groups: 0 + 1-3",
      content: (branch) => {
        if (!branch.name || !branch.count) return "";
        const text = membersText(branch, data);
        const shown = element("span", text, "clip");
        shown.title = text;
        return [shown];
      },
    },
  ];
}

function lifeBar(branch: Branch, data: CommunicatorsData): string | Node[] {
  const life = branch.name ? lifeOf(branch, data) : null;
  if (!life || data.wall <= 0) return "";
  const place = (seconds: number) => Math.max(0, Math.min(100, (100 * seconds) / data.wall));
  const [begin, end] = [place(life.begin), place(life.end ?? data.wall)];
  const filled = element("span");
  filled.style.left = `${begin.toFixed(1)}%`;
  filled.style.width = `${(end - begin).toFixed(1)}%`;
  const bar = element("span", filled, "life");
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", lifeText(branch, data));
  bar.title = lifeText(branch, data);
  return [bar];
}
