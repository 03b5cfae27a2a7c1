/** Bars: slower to the right, faster to the left. Lines: the range that the noise leaves possible. */
import { scaleLinear } from "d3-scale";
import type { Theme } from "../ui/colours.ts";
import { short } from "../ui/dom.ts";
import { shape } from "../ui/svg.ts";
import { changeText } from "../units.ts";

export interface Bar {
  name: string;
  change: number;
  low: number | null;
  high: number | null;
  /** Facts for the tip. */
  told: string;
  act: (() => void) | null;
}

const LINE = 24;
const [TOP, BOTTOM, NUMBER] = [6, 24, 84];

export function changesDrawing(bars: readonly Bar[], width: number, theme: Theme): SVGElement {
  const names = Math.min(240, Math.max(110, width * 0.34));
  const height = TOP + bars.length * LINE + BOTTOM;
  const ends = bars.flatMap(({ change, low, high }) => [change, low ?? 0, high ?? 0]);
  const x = scaleLinear([Math.min(0, ...ends), Math.max(0, ...ends)], [names + 8, width - NUMBER]);
  const drawn = shape("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": `Changes of time: ${bars.map(({ told }) => told).join("; ")}`,
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": 12,
  });
  for (const tick of x.ticks(Math.max(2, Math.floor((width - names - NUMBER) / 110)))) {
    const at = { x1: x(tick), x2: x(tick), y1: TOP, y2: height - BOTTOM };
    drawn.append(shape("line", { ...at, stroke: theme.rule, "stroke-width": tick === 0 ? 1.4 : 0.6 }));
    const where = { x: x(tick), y: height - 8, "text-anchor": "middle", "font-size": 11, fill: theme.faint };
    drawn.append(shape("text", where, changeText(tick)));
  }
  bars.forEach((bar, place) => {
    const y = TOP + place * LINE;
    const middle = y + LINE / 2;
    const group = shape("g", bar.act ? { class: "bin" } : {});
    const [from, to] = [x(Math.min(0, bar.change)), x(Math.max(0, bar.change))];
    const colour = bar.change > 0 ? theme.slower : theme.faster;
    // (A text has no width before it is drawn: assume 6.6 pixels for a letter in a font of 12.)
    const name = short(bar.name, Math.floor(names / 6.6));
    group.append(
      shape("title", {}, bar.told),
      shape("rect", { x: 0, y, width, height: LINE, fill: "transparent" }),
      shape(
        "text",
        { x: names, y: middle + 4, "text-anchor": "end", fill: theme.ink, "font-size": 12 },
        name,
      ),
      shape("rect", {
        x: from,
        y: y + 4,
        width: Math.max(1, to - from),
        height: LINE - 8,
        rx: 2,
        fill: colour,
      }),
      shape(
        "text",
        { x: width, y: middle + 4, "text-anchor": "end", fill: theme.ink },
        changeText(bar.change),
      ),
    );
    if (bar.low !== null && bar.high !== null)
      group.append(
        shape("path", {
          d: `M${x(bar.low)} ${middle - 4}v8M${x(bar.low)} ${middle}H${x(bar.high)}M${x(bar.high)} ${middle - 4}v8`,
          stroke: theme.ink,
          fill: "none",
        }),
      );
    if (bar.act) group.addEventListener("click", bar.act);
    drawn.append(group);
  });
  return drawn;
}
