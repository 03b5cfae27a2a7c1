/** What the network ports of all nodes sent over time, and the messages of the ranks among it. */
import { max } from "d3-array";
import { scaleLinear } from "d3-scale";
import type { Theme } from "../ui/colours.ts";
import { shape } from "../ui/svg.ts";
import { byteText, secondText, secondTexts } from "../units.ts";
import type { NetworkRates } from "./contract.ts";

const [LEFT, RIGHT, BOTTOM, PLOT] = [74, 14, 24, 142];
const [LINE, SIDE_BY_SIDE, TICK] = [17, 480, 90];

export function networkRates(rates: NetworkRates, theme: Theme, width: number): SVGElement {
  const { begin, ports, messages } = rates;
  const end = begin + rates.width * ports.length;
  const most = Math.max(max(ports) ?? 0, max(messages) ?? 0) || 1;
  const columns = width < SIDE_BY_SIDE ? 1 : 2;
  const top = 8 + LINE * (3 - columns);
  const base = top + PLOT;
  const x = scaleLinear([begin, end], [LEFT, width - RIGHT]);
  const y = scaleLinear([0, most], [base, top]);
  const svg = shape("svg", {
    viewBox: `0 0 ${width} ${base + BOTTOM}`,
    width,
    height: base + BOTTOM,
    role: "img",
    "font-size": 11,
    fill: theme.faint,
    "aria-label": `From ${secondText(begin)} to ${secondText(end)}, the ports sent up to ${byteText(max(ports) ?? 0)} a second, messages up to ${byteText(max(messages) ?? 0)} a second`,
  });
  const steps = (values: ArrayLike<number>) =>
    Array.from(values, (value, place) => {
      const [from, to] = [x(begin + place * rates.width), x(begin + (place + 1) * rates.width)];
      return `${from},${y(value)} ${to},${y(value)}`;
    });
  const line = { fill: "none", "stroke-linejoin": "round" };
  const ofPorts = { ...line, stroke: theme.faint, "stroke-width": 1 };
  const ofMessages = { ...line, stroke: theme.accent, "stroke-width": 1.5 };
  for (const tick of [0, most / 2, most])
    svg.append(
      shape("line", {
        x1: LEFT,
        x2: width - RIGHT,
        y1: y(tick),
        y2: y(tick),
        stroke: theme.rule,
        "stroke-width": 0.6,
      }),
      shape("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, `${byteText(tick)}/s`),
    );
  const outline = steps(ports).join(" ");
  svg.append(
    shape("polygon", {
      points: `${x(begin)},${base} ${outline} ${x(end)},${base}`,
      fill: theme.unlit,
    }),
    shape("polyline", { points: outline, ...ofPorts }),
    shape("polyline", { points: steps(messages).join(" "), ...ofMessages }),
    ...seconds(x, width, base),
  );
  const entry = (place: number, text: string) => {
    const left = LEFT + (columns > 1 ? place * 196 : 0);
    const middle = 10 + (columns > 1 ? 0 : place * LINE);
    svg.append(shape("text", { x: left + 22, y: middle + 4 }, text));
    return { left, middle };
  };
  const first = entry(0, "sent by the ports of all nodes");
  svg.append(
    shape("rect", { x: first.left, y: first.middle - 4, width: 14, height: 9, fill: theme.unlit }),
    shape("line", {
      x1: first.left,
      x2: first.left + 14,
      y1: first.middle - 4,
      y2: first.middle - 4,
      ...ofPorts,
    }),
  );
  const second = entry(1, "messages of ranks to other nodes");
  svg.append(
    shape("line", {
      x1: second.left,
      x2: second.left + 14,
      y1: second.middle,
      y2: second.middle,
      ...ofMessages,
    }),
  );
  return svg;
}

function seconds(
  x: ReturnType<typeof scaleLinear<number, number>>,
  width: number,
  base: number,
): SVGElement[] {
  const ticks = x.ticks(Math.max(2, Math.floor((width - LEFT - RIGHT) / TICK)));
  const texts = secondTexts(ticks);
  return ticks.map((tick, place) => {
    // The last text ends with the drawing.
    const ends = x(tick) > width - RIGHT - 20;
    const at = ends ? width : x(tick);
    return shape(
      "text",
      { x: at, y: base + 16, "text-anchor": ends ? "end" : "middle" },
      tick ? texts[place] : "0",
    );
  });
}
