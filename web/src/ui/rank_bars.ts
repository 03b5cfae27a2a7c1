/** A bar for each rank; if there is no room, one for the maximum of several consecutive ranks. */
import type { Theme } from "./colours.ts";
import { shape } from "./svg.ts";

export interface RankBars {
  values: Float64Array;
  /** 1: chosen; bars of others are faint. */
  chosen: Uint8Array;
  /** Pixels. */
  width: number;
  theme: Theme;
  text: (value: number) => string;
  label: string;
  /** Called with ranks in the notation of the filter: `3`, `8-11`. */
  choose: (ranks: string) => void;
}

const HEIGHT = 64;
const FOOT = 15;
const NARROWEST = 3;

export function rankBars({ values, chosen, width, theme, text, label, choose }: RankBars): SVGElement {
  const ranks = values.length;
  const each = Math.max(1, Math.ceil((ranks * NARROWEST) / width));
  const bars = Math.ceil(ranks / each);
  const step = Math.min(width / bars, 40);
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const svg = shape("svg", {
    width,
    height: HEIGHT + FOOT,
    viewBox: `0 0 ${width} ${HEIGHT + FOOT}`,
    role: "img",
    "aria-label": `${label}: at most ${text(most)}, rank ${values.indexOf(most)}`,
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": 11,
  });
  for (let bar = 0; bar < bars; bar++) {
    const [first, end] = [bar * each, Math.min((bar + 1) * each, ranks)];
    const value = values.subarray(first, end).reduce((a, b) => Math.max(a, b), 0);
    const name = end - first > 1 ? `${first}-${end - 1}` : String(first);
    const height = most > 0 ? (value / most) * (HEIGHT - 2) : 0;
    const is = chosen.subarray(first, end).includes(1);
    const gap = step > 4 ? 1 : 0;
    const group = shape("g", { class: "pick" });
    group.append(
      shape(
        "title",
        {},
        end - first > 1 ? `ranks ${name}: at most ${text(value)}` : `rank ${name}: ${text(value)}`,
      ),
      shape("rect", {
        x: bar * step,
        y: 0,
        width: step,
        height: HEIGHT,
        fill: theme.paper,
        "fill-opacity": 0,
      }),
      shape("rect", {
        x: bar * step,
        y: HEIGHT - height,
        width: step - gap,
        height,
        fill: is ? theme.accent : theme.unlit,
      }),
    );
    group.addEventListener("click", () => {
      choose(name);
    });
    svg.append(group);
  }
  svg.append(
    shape("line", { x1: 0, x2: bars * step, y1: HEIGHT, y2: HEIGHT, stroke: theme.rule }),
    shape("text", { x: 0, y: HEIGHT + 12, fill: theme.faint }, "0"),
    shape(
      "text",
      { x: bars * step, y: HEIGHT + 12, "text-anchor": "end", fill: theme.faint },
      ranks > 1 ? String(ranks - 1) : "",
    ),
  );
  return svg;
}
