/** The matrix of node and time: bytes at the network ports, and when these were blocked. */
import type { RunData } from "../contract.ts";
import type { Selection } from "../shell/selection.ts";
import { byteText, countOf, percentText, secondTexts } from "../units.ts";
import type { PortLines, TimeLineData } from "./contract.ts";
import type { Means } from "./model.ts";

const UNKNOWN = 255;

export interface PortRows extends Means {
  /** Rows of the data. */
  rows: number[];
  /** Row by row, bytes a second in both directions; NaN: no samples. */
  values: Float32Array;
  /** Row by row: 1 = blocked for much of the time. */
  blocked: Uint8Array;
  most: number;
}

/** The nodes with at least one chosen rank. */
export function portRows(run: RunData, data: TimeLineData, ports: PortLines, selection: Selection): PortRows {
  const { count } = data;
  const { hostOf } = run.axes;
  const chosen = new Set<number>();
  hostOf.forEach((host: number, rank: number) => {
    if (selection.ranks[rank]) chosen.add(host);
  });
  const rows = Array.from(ports.host, (_, row) => row).filter((row) => chosen.has(ports.host[row]));
  const found: PortRows = {
    rows,
    values: new Float32Array(rows.length * count),
    blocked: new Uint8Array(rows.length * count),
    overRows: new Float64Array(count),
    overTime: new Float64Array(rows.length),
    most: 0,
  };
  const there = new Float64Array(count);
  rows.forEach((row, at) => {
    let [sum, all] = [0, 0];
    for (let interval = 0; interval < count; interval++) {
      const cell = row * count + interval;
      const value = Math.fround(ports.sent[cell] + ports.received[cell]);
      found.values[at * count + interval] = value;
      const percent = ports.blocked[cell];
      found.blocked[at * count + interval] = Number(percent !== UNKNOWN && percent >= ports.much);
      if (Number.isNaN(value)) continue;
      found.most = Math.max(found.most, value);
      found.overRows[interval] += value;
      there[interval]++;
      sum += value;
      all++;
    }
    found.overTime[at] = all ? sum / all : NaN;
  });
  for (let interval = 0; interval < count; interval++) found.overRows[interval] /= there[interval];
  return found;
}

export function blockedText(percent: number): string {
  return percent === UNKNOWN ? "not known" : percentText(percent / 100);
}

/** Where most bytes were moved, and how many nodes were blocked. */
export function portsTitle(run: RunData, data: TimeLineData, ports: PortLines, found: PortRows): string {
  const { count, begin, width } = data;
  const best = found.values.indexOf(found.most);
  if (!found.most) return "The network ports of the selected nodes moved nothing";
  const host = run.axes.hosts[ports.host[found.rows[Math.floor(best / count)]]];
  const from = begin + (best % count) * width;
  const span = secondTexts([Math.max(from, 0), from + width]).join(" to ");
  const blocked = found.rows.filter((_, at) =>
    found.blocked.subarray(at * count, (at + 1) * count).includes(1),
  ).length;
  const also = blocked ? `; at ${countOf(blocked, "node")}, ports were blocked` : "";
  return `The network ports of ${host} moved most: ${byteText(found.most)}/s, from ${span}${also}`;
}
