/** A node drawn: boxes in boxes, and in each core its ranks. */
import { HOT } from "../ui/colours.ts";
import { short } from "../ui/dom.ts";
import { shape as part } from "../ui/svg.ts";
import { hideTip, showTip } from "../ui/tip.ts";
import { countOf } from "../units.ts";
import type { Shape } from "./contract.ts";
import { boxesOf, placed, type Placed, type Sizes } from "./layout.ts";
import { type PlaceView, rankText } from "./view.ts";

const LONGEST = 9;
const LETTER = 7.2;
const HEIGHT = 34;
const BAND = 9;
const SEEN = "~";

interface Core {
  number: number;
  processors: number[];
  bound: number[];
  seen: number[];
  efficient: boolean;
}

/** Pixels that a core needs for its text, on any of these nodes. */
export function coreWidth(view: PlaceView, nodes: readonly number[]): number {
  const longest = nodes.flatMap((node) => {
    const shape = view.shape(node);
    return shape ? [...coresOf(view, node, shape).values()].map((core) => textOf(core).length) : [];
  });
  return longest.reduce((most, letters) => Math.max(most, letters * LETTER + 8), 28);
}

export function drawing(
  view: PlaceView,
  node: number,
  shape: Shape,
  room: number,
  coreWidth: number,
): SVGElement {
  const cores = coresOf(view, node, shape);
  const sizes = { width: coreWidth, height: HEIGHT };
  const boxes = placed(boxesOf(shape), room, sizes);
  const width = Math.ceil(Math.max(...boxes.map((box) => box.x + box.width)) + 1);
  const height = Math.ceil(Math.max(...boxes.map((box) => box.y + box.height)) + 1);
  const svg = part("svg", {
    width,
    height,
    viewBox: `-0.5 -0.5 ${width} ${height}`,
    role: "group",
    "aria-label": `${view.hosts[node]} from inside: ${shape.text}`,
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": 11,
  });
  for (const box of boxes) drawBox(svg, view, box, 0, 0, cores, sizes);
  roving(svg);
  return svg;
}

function coresOf(view: PlaceView, node: number, shape: Shape): Map<number, Core> {
  const cores = new Map<number, Core>();
  const coreOf = new Map<number, Core>();
  shape.processor.forEach((processor, at) => {
    const number = shape.core[at];
    let core = cores.get(number);
    if (!core) {
      core = { number, processors: [], bound: [], seen: [], efficient: shape.efficiency[at] === 1 };
      cores.set(number, core);
    }
    core.processors.push(processor);
    coreOf.set(processor, core);
  });
  for (const rank of view.ranks[node]) {
    const on = new Set(view.drawnOn(rank).map((processor) => coreOf.get(processor)));
    for (const core of on) core?.[view.data.ranks.bound[rank] ? "bound" : "seen"].push(rank);
  }
  return cores;
}

/** The text in a core: `3`, `3,7`, `~0-3`, `16 ranks`; an efficiency core's ends with an e. */
function textOf({ bound, seen, efficient }: Core): string {
  const texts = [rankText(bound), seen.length ? SEEN + rankText(seen) : ""].filter(Boolean);
  const text = texts.join(" ");
  const short = text.length <= LONGEST ? text : countOf(bound.length + seen.length, "rank");
  return (short || "·") + (efficient ? " e" : "");
}

function drawBox(
  svg: SVGElement,
  view: PlaceView,
  { box, x, y, width, height, boxes, cores: inside }: Placed,
  left: number,
  top: number,
  cores: ReadonlyMap<number, Core>,
  sizes: Sizes,
): void {
  const { theme } = view;
  const [at, down] = [left + x, top + y];
  svg.append(
    part("rect", {
      x: at,
      y: down,
      width,
      height,
      rx: 5,
      fill: box.depth % 2 ? theme.paper : theme.ground,
      stroke: theme.rule,
    }),
  );
  if (box.label)
    svg.append(
      part(
        "text",
        { x: at + 7, y: down + 12.5, fill: theme.faint },
        short(box.label, Math.max(4, Math.floor((width - 10) / 6.2))),
      ),
    );
  for (const one of boxes) drawBox(svg, view, one, at, down, cores, sizes);
  for (const { core, x: right, y: below } of inside) {
    const found = cores.get(core);
    if (found) svg.append(drawCore(view, found, at + right, down + below, sizes));
  }
}

function drawCore(view: PlaceView, core: Core, x: number, y: number, { width, height }: Sizes): SVGElement {
  const { theme } = view;
  const ranks = [...core.bound, ...core.seen];
  const faults = view.faultsOf(ranks);
  const group = part("g", { class: ranks.length ? "core pick" : "core", role: "img" });
  const chosen = !ranks.length || ranks.some((rank) => view.isChosen(rank));
  if (!chosen) group.setAttribute("opacity", "0.3");
  const edge = faults.length ? HOT : theme.rule;
  group.append(
    part("rect", {
      x,
      y,
      width,
      height,
      rx: 4,
      fill: theme.paper,
      stroke: edge,
      "stroke-width": faults.length ? 1.6 : 1,
      "stroke-dasharray": core.bound.length || !ranks.length ? "" : "3 2",
    }),
  );
  ranks.forEach((rank, place) => {
    const wide = (width - 6) / ranks.length;
    group.append(
      part("rect", {
        x: x + 3 + place * wide,
        y: y + height - BAND - 7,
        width: Math.max(wide - (wide > 4 ? 1 : 0), 0.5),
        height: BAND,
        rx: wide > 8 ? 2 : 0,
        fill: view.colour(rank),
      }),
    );
  });
  const used = new Set(core.bound.flatMap((rank) => [...view.drawnOn(rank)]));
  const step = (width - 6) / core.processors.length;
  core.processors.forEach((processor, place) => {
    group.append(
      part("rect", {
        x: x + 3 + place * step,
        y: y + height - 5,
        width: step - 1.5,
        height: 2.2,
        fill: used.has(processor) ? theme.faint : theme.rule,
      }),
    );
  });
  group.append(
    part(
      "text",
      {
        x: x + width / 2,
        y: y + 13,
        "text-anchor": "middle",
        class: ranks.length ? "ink" : "",
        fill: ranks.length ? theme.ink : theme.faint,
      },
      textOf(core),
    ),
  );
  tell(view, group, core, ranks, faults);
  return group;
}

/** Make a core show its content, under the pointer and with the focus, and choose its ranks. */
function tell(view: PlaceView, group: SVGElement, core: Core, ranks: number[], faults: string[]): void {
  const processors = countOf(core.processors.length, "processor");
  const where = `core ${core.number}, ${processors}: ${rankText(core.processors)}`;
  const first = ranks.length === 1 ? view.facts(ranks[0]) : null;
  const facts = first
    ? { ...first, head: `${first.head} on core ${core.number}` }
    : {
        head: where,
        note: faults.join(", ") || (ranks.length ? "" : "no rank"),
        rows: ranks
          .slice(0, 10)
          .map((rank): [string, string] => [
            `rank ${rank}`,
            `${view.data.ranks.bound[rank] ? "may use" : "not bound, seen on"} ${rankText(view.drawnOn(rank))}` +
              `; ${view.moveText(rank)}; ${view.mpiText(rank)} in MPI`,
          ]),
      };
  // With its content, exactly as shown.
  const text = textOf(core);
  const named =
    /^[~\d]/.test(text) && !text.endsWith("ranks") ? `ranks ${text}` : `${text}: ${rankText(ranks)}`;
  const unbound = core.seen.length ? [`seen there, not bound: ${rankText(core.seen)}`] : [];
  const spoken = [where, ...(ranks.length ? [named] : ["no rank"]), ...unbound, ...faults];
  group.setAttribute("aria-label", spoken.join("; "));
  group.addEventListener("pointermove", (event) => {
    showTip(facts, event.clientX, event.clientY);
  });
  group.addEventListener("pointerleave", hideTip);
  group.addEventListener("focus", () => {
    const { left, bottom } = group.getBoundingClientRect();
    showTip(facts, left, bottom);
  });
  group.addEventListener("blur", hideTip);
  if (!ranks.length) return;
  group.setAttribute("role", "button");
  const choose = () => {
    hideTip();
    view.context.toggle("ranks", rankText(ranks));
  };
  group.addEventListener("click", choose);
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose();
  });
}

/** One stop of the tab key for all cores, arrow keys from one to the next. */
function roving(svg: SVGElement): void {
  const cores = [...svg.querySelectorAll<SVGElement>("g.core")];
  cores.forEach((core, place) => {
    core.setAttribute("tabindex", place ? "-1" : "0");
    core.addEventListener("keydown", (event) => {
      const step = ["ArrowRight", "ArrowDown"].includes(event.key)
        ? 1
        : ["ArrowLeft", "ArrowUp"].includes(event.key)
          ? -1
          : 0;
      const next = cores.at(place + step);
      if (!step || !next || place + step < 0) return;
      event.preventDefault();
      core.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  });
}
