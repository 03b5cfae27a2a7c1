/**
 * The margins of the matrix: phases and the mean of all rows above it, the mean over time at its side, the time axis
 * below.
 */
import { scaleLinear } from "d3-scale";
import type { Theme } from "../ui/colours.ts";
import type { Margins, Place } from "../ui/matrix_data.ts";
import { secondTexts } from "../units.ts";
import type { TimeLineData } from "./contract.ts";
import type { Means } from "./model.ts";

const [BAND, MEAN, SIDE, GAP, TICKS] = [18, 44, 56, 6, 18];
const TICK_WIDTH = 80;

export function margins(data: TimeLineData, { overRows, overTime }: Means, theme: Theme): Margins {
  const lines = margin(overRows);
  const side = margin(overTime);
  return {
    above: BAND + GAP + MEAN + GAP,
    below: TICKS,
    right: SIDE + GAP,
    draw: (context, place) => {
      context.save();
      context.beginPath();
      context.rect(place.left, 0, place.width, place.top + place.height + TICKS);
      context.clip();
      drawPhases(context, data, place, theme);
      drawMeans(context, overRows, lines, place, theme);
      context.restore();
      drawSide(context, overTime, side, place, theme);
      drawTime(context, data, place, theme);
    },
  };
}

function margin(values: Float64Array): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}

/** The position of an instant, as intervals after the first one. */
function columnOf({ begin, width }: TimeLineData, seconds: number): number {
  return (seconds - begin) / width;
}

function drawPhases(
  context: CanvasRenderingContext2D,
  data: TimeLineData,
  { left, top, width, height, x }: Place,
  theme: Theme,
): void {
  const { begin, end, mpi } = data.phases;
  context.textAlign = "center";
  context.textBaseline = "middle";
  begin.forEach((from, phase) => {
    // Cells are whole intervals, and so are the ends of the run here.
    const [first, last] = [columnOf(data, from), columnOf(data, end[phase])];
    const low = Math.max(left, x(phase ? first : Math.floor(first)));
    const high = Math.min(left + width, x(phase < begin.length - 1 ? last : Math.ceil(last)));
    if (high <= low) return;
    context.fillStyle = theme.unlit;
    context.globalAlpha = phase % 2 ? 0.55 : 1;
    context.fillRect(low, 0, high - low, BAND);
    context.globalAlpha = 1;
    context.fillStyle = theme.ink;
    const texts = [
      `phase ${phase + 1}: ${mpi[phase].toFixed(0)} % in MPI`,
      `phase ${phase + 1}`,
      String(phase + 1),
    ];
    const text = texts.find((one) => context.measureText(one).width < high - low - 4);
    if (text) context.fillText(text, (low + high) / 2, BAND / 2);
    if (!phase) return;
    context.fillStyle = theme.paper;
    context.fillRect(low - 1, BAND, 2, top + height - BAND);
    context.fillStyle = theme.ink;
    context.fillRect(low - 0.5, 0, 1, top + height);
  });
}

function drawMeans(
  context: CanvasRenderingContext2D,
  values: Float64Array,
  most: number,
  { top, x }: Place,
  theme: Theme,
): void {
  const base = top - GAP;
  context.fillStyle = theme.accent;
  values.forEach((value, column) => {
    if (!(value > 0)) return;
    const high = (value / most) * MEAN;
    const from = Math.round(x(column));
    context.fillRect(from, base - high, Math.round(x(column + 1)) - from, high);
  });
  context.fillStyle = theme.rule;
  context.fillRect(x(0), base, x(values.length) - x(0), 0.5);
}

function drawSide(
  context: CanvasRenderingContext2D,
  values: Float64Array,
  most: number,
  { left, top, width, height, y }: Place,
  theme: Theme,
): void {
  const base = left + width + GAP;
  context.save();
  context.beginPath();
  context.rect(base, top, SIDE, height);
  context.clip();
  context.fillStyle = theme.accent;
  // For rows that share a pixel, the longest: a line each.
  values.forEach((value, row) => {
    if (value > 0)
      context.fillRect(base, y(row), (value / most) * SIDE, Math.max(0.6, (y(row + 1) - y(row)) * 0.86));
  });
  context.restore();
  context.fillStyle = theme.rule;
  context.fillRect(base - 0.5, top, 0.5, height);
}

function drawTime(
  context: CanvasRenderingContext2D,
  data: TimeLineData,
  { left, top, width, height, x }: Place,
  theme: Theme,
): void {
  const shown = scaleLinear(
    [
      data.begin + data.width * ((data.count * (left - x(0))) / (x(data.count) - x(0))),
      data.begin + data.width * ((data.count * (left + width - x(0))) / (x(data.count) - x(0))),
    ],
    [left, left + width],
  );
  context.textAlign = "center";
  context.textBaseline = "top";
  const ticks = shown.ticks(Math.max(2, Math.floor(width / TICK_WIDTH)));
  const texts = secondTexts(ticks);
  let free = -Infinity;
  ticks.forEach((tick, place) => {
    const at = shown(tick);
    context.fillStyle = theme.rule;
    context.fillRect(at, top + height, 1, 4);
    context.fillStyle = theme.ink;
    const text = tick ? texts[place] : "0";
    const half = context.measureText(text).width / 2;
    const middle = Math.min(Math.max(at, left + half), left + width - half);
    if (middle - half < free) return;
    context.fillText(text, middle, top + height + 6);
    free = middle + half + GAP;
  });
}
