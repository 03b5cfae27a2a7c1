/** The matrix of rank and time, for the chosen ranks. */
import type { RunData } from "../contract.ts";
import type { Selection } from "../shell/selection.ts";
import type { Option } from "../ui/controls.ts";
import { byteText, countText, percentText } from "../units.ts";
import type { Cells, Measure, TimeLineData } from "./contract.ts";

export const MEASURES: Option<Measure>[] = [
  { value: "mpi", text: "% in MPI" },
  { value: "sent", text: "sent" },
  { value: "received", text: "received" },
  { value: "messages", text: "messages" },
  { value: "calls", text: "calls" },
];

export const MEASURE_NAMES: Record<Measure, string> = {
  mpi: "% of the time in MPI",
  sent: "bytes sent per second",
  received: "bytes received per second",
  messages: "messages per second",
  calls: "calls per second",
};

/** The amounts behind a measure, by their column names in files. */
export const AMOUNTS: Record<Measure, string> = {
  mpi: "seconds_in_mpi",
  sent: "bytes_sent",
  received: "bytes_received",
  messages: "messages",
  calls: "calls",
};

const LEAST = 1e-6; // replaces 0, which a matrix treats as nothing

/** Means in the margins of a matrix. */
export interface Means {
  /** Over the shown rows, by interval; NaN: none was running. */
  overRows: Float64Array;
  /** Over the time, by row. */
  overTime: Float64Array;
}

export interface Rows extends Means {
  /** Ranks of each row. */
  ranks: number[][];
  /** Row by row, the shown values. */
  values: Float32Array;
  /** Row by row, the mean of the ranks of a row. */
  means: Float32Array;
  /** Row by row, seconds that the ranks of a row were running; times all threads for the time in MPI. */
  there: Float64Array;
  most: number;
}

export function timeLineOf(run: RunData): TimeLineData {
  if (!run.timeLine) throw new Error("there is no time line");
  return run.timeLine;
}

export function valueText(measure: Measure, value: number): string {
  if (Number.isNaN(value)) return "not there";
  if (measure === "mpi") return percentText(value / 100);
  if (measure === "sent" || measure === "received") return `${byteText(value)}/s`;
  const text = value >= 10 || !value ? countText(value) : value < 0.0005 ? "<0.001" : value.toPrecision(3);
  return `${text}/s`;
}

export function rowsOf(run: RunData, selection: Selection, measure: Measure, byNode: boolean): Rows {
  const data = timeLineOf(run);
  const { count } = data;
  const [mean, most] = decoded(data.measures[measure]);
  const numbers = chosenRows(run, selection, byNode);
  const cells = numbers.length * count;
  const found: Rows = {
    ranks: numbers.map((row) => membersOf(data, row).map((place) => data.rank[place])),
    values: new Float32Array(cells),
    means: new Float32Array(cells),
    there: new Float64Array(cells),
    overRows: new Float64Array(count),
    overTime: new Float64Array(numbers.length),
    most: 0,
  };
  const whole = new Float64Array(count);
  numbers.forEach((row, at) => {
    const time = timeOf(data, row, measure);
    found.there.set(time, at * count);
    let [sum, all] = [0, 0];
    for (let interval = 0; interval < count; interval++) {
      const cell = row * count + interval;
      const value = most[cell];
      // 0 % is the lower end of a scale; no bytes means no value.
      found.values[at * count + interval] = measure === "mpi" && value <= 0 ? LEAST : value;
      found.means[at * count + interval] = mean[cell];
      if (!time[interval] || Number.isNaN(mean[cell])) continue;
      found.most = Math.max(found.most, value);
      found.overRows[interval] += mean[cell] * time[interval];
      whole[interval] += time[interval];
      sum += mean[cell] * time[interval];
      all += time[interval];
    }
    found.overTime[at] = all ? sum / all : NaN;
  });
  for (let interval = 0; interval < count; interval++)
    found.overRows[interval] = whole[interval] ? found.overRows[interval] / whole[interval] : NaN;
  if (measure === "mpi") found.most = 100;
  return found;
}

function decoded({ levels, mean, most }: Cells): [mean: ArrayLike<number>, most: ArrayLike<number>] {
  const values = (of: ArrayLike<number>) => (levels ? Float32Array.from(of, (code) => levels[code]) : of);
  const means = values(mean);
  return [means, most ? values(most) : means];
}

/** The rows with at least one chosen rank. */
function chosenRows(run: RunData, selection: Selection, byNode: boolean): number[] {
  const data = timeLineOf(run);
  const all = Array.from({ length: Math.ceil(data.rank.length / data.together) }, (_, row) => row);
  const rows = all.filter((row) => membersOf(data, row).some((place) => selection.ranks[data.rank[place]]));
  const { hostOf } = run.axes;
  const host = (row: number) => hostOf[data.rank[row * data.together]];
  return byNode ? rows.sort((one, other) => host(one) - host(other) || one - other) : rows;
}

/** Places of the ranks of a row. */
function membersOf({ rank, together }: TimeLineData, row: number): number[] {
  const first = row * together;
  return Array.from({ length: Math.min(together, rank.length - first) }, (_, place) => first + place);
}

/** Seconds in each interval that the ranks of a row were running; times all threads for the time in MPI. */
function timeOf(data: TimeLineData, row: number, measure: Measure): Float64Array {
  const { begin, width, count } = data;
  const found = new Float64Array(count);
  for (const place of membersOf(data, row)) {
    const threads = measure === "mpi" ? data.threads[place] : 1;
    for (let interval = 0; interval < count; interval++) {
      const start = begin + interval * width;
      const there = Math.min(start + width, data.to[place]) - Math.max(start, data.from[place]);
      if (there > 0) found[interval] += there * threads;
    }
  }
  return found;
}

/** `rank 3`, `ranks 8-15`. */
export function ranksText(ranks: readonly number[]): string {
  return ranks.length === 1 ? `rank ${ranks[0]}` : `ranks ${ranks[0]}-${ranks[ranks.length - 1]}`;
}

/** Number of the phase that contains an instant, from 0; -1: none. */
export function phaseAt({ phases }: TimeLineData, seconds: number): number {
  return phases.begin.findIndex((begin, phase) => begin <= seconds && seconds < phases.end[phase]);
}
