/** The inside of a node as boxes in boxes: packages, domains of memory, caches, cores. */
import type { Shape } from "./contract.ts";

export interface Box {
  label: string;
  depth: number;
  boxes: Box[];
  /** Numbers of cores, without boxes. */
  cores: number[];
}

export interface Placed {
  box: Box;
  x: number;
  y: number;
  width: number;
  height: number;
  boxes: Placed[];
  cores: { core: number; x: number; y: number }[];
}

export interface Sizes {
  /** Of a core. */
  width: number;
  height: number;
}

export const GAP = 3;
const BETWEEN = 6;
const EDGE = 6;
const HEAD = 17;
const LETTER = 6.3;

type Level = "package" | "numa" | "l3";

/** Boxes of the known levels; a level that equals the enclosing one has none. */
export function boxesOf(shape: Shape): Box[] {
  const processors = Array.from(shape.processor, (_, place) => place);
  const numas = new Set(shape.numa).size;
  // Some machines have a cache around domains, or a domain around packages: the less numerous is outside.
  const count = (level: Level) => new Set(shape[level]).size;
  const levels = (["package", "numa", "l3"] as const).toSorted((one, other) => count(one) - count(other));
  return split(shape, processors, levels, 0, numas > 1);
}

function split(
  shape: Shape,
  processors: readonly number[],
  levels: readonly Level[],
  depth: number,
  numbered: boolean,
): Box[] {
  const [level, ...below] = levels;
  const groups = grouped(processors, (one) => shape[level][one]);
  return groups.flatMap(([number, inside]) => {
    const boxes = below.length ? split(shape, inside, below, depth + 1, numbered) : [];
    const cores = [...new Set(inside.map((one) => shape.core[one]))].sort((one, other) => one - other);
    if (number < 0) return boxes.length ? boxes : [{ label: "", depth, boxes, cores }];
    const label = nameOf(shape, level, number, numbered);
    const [only] = boxes;
    // A domain alone in its package, or a cache alone in its domain: one box for both.
    if (boxes.length === 1)
      return [{ ...only, label: [label, only.label].filter(Boolean).join(" · "), depth }];
    return [{ label, depth, boxes, cores: boxes.length ? [] : cores }];
  });
}

function nameOf(shape: Shape, level: Level, number: number, numbered: boolean): string {
  if (level === "package") return `package ${number}`;
  if (level === "l3") return "";
  const near = shape.devices.filter(({ numa }) => numa === number).map(({ name }) => name);
  return [...(numbered ? [`NUMA ${number}`] : []), ...near].join(" · ");
}

function grouped(items: readonly number[], key: (item: number) => number): [number, number[]][] {
  const found = new Map<number, number[]>();
  for (const item of items) {
    const into = found.get(key(item));
    if (into) into.push(item);
    else found.set(key(item), [item]);
  }
  return [...found].sort(([one], [other]) => one - other);
}

/** Place boxes from left to right, in as many lines of equal length as they need. */
export function placed(boxes: readonly Box[], room: number, sizes: Sizes): Placed[] {
  const found = boxes.map((box) => place(box, room, sizes));
  const widest = Math.max(...found.map(({ width }) => width));
  const fit = Math.max(1, Math.floor((room + BETWEEN) / (widest + BETWEEN)));
  const columns = Math.ceil(found.length / Math.ceil(found.length / fit));
  let top = 0;
  for (let first = 0; first < found.length; first += columns) {
    const line = found.slice(first, first + columns);
    line.forEach((one, column) => {
      one.x = column * (widest + BETWEEN);
      one.y = top;
    });
    top += Math.max(...line.map(({ height }) => height)) + BETWEEN;
  }
  return found;
}

function place(box: Box, room: number, sizes: Sizes): Placed {
  const inside = room - 2 * EDGE;
  const head = box.label ? HEAD : 0;
  const start = head || EDGE;
  const made: Placed = { box, x: 0, y: 0, width: 0, height: 0, boxes: [], cores: [] };
  const step = { x: sizes.width + GAP, y: sizes.height + GAP };
  if (box.boxes.length) {
    made.boxes = placed(box.boxes, inside, sizes);
  } else {
    const fit = Math.max(1, Math.floor((inside + GAP) / step.x));
    const columns = Math.ceil(box.cores.length / Math.ceil(box.cores.length / fit));
    made.cores = box.cores.map((core, at) => ({
      core,
      x: EDGE + (at % columns) * step.x,
      y: start + Math.floor(at / columns) * step.y,
    }));
  }
  for (const one of made.boxes) {
    one.x += EDGE;
    one.y += start;
  }
  const right = [
    ...made.boxes.map((one) => one.x + one.width),
    ...made.cores.map((one) => one.x + sizes.width),
    Math.min(room - EDGE, EDGE + box.label.length * LETTER),
  ];
  const bottom = [
    ...made.boxes.map((one) => one.y + one.height),
    ...made.cores.map((one) => one.y + sizes.height),
  ];
  made.width = Math.max(...right) + EDGE;
  made.height = Math.max(...bottom) + EDGE;
  return made;
}
