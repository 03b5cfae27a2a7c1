/** What the network ports of all nodes sent over time, and the messages of the ranks among it. */
import { max } from "d3-array";
import { scaleLinear } from "d3-scale";
import type { Theme } from "../ui/colours.ts";
import { shape } from "../ui/svg.ts";
import { byteText, secondText } from "../units.ts";
import type { NetworkRates } from "./contract.ts";

const [WIDTH, HEIGHT] = [720, 190];
const [LEFT, RIGHT, TOP, BOTTOM] = [74, 12, 24, 24];

export function networkRates(rates: NetworkRates, theme: Theme): SVGElement {
  const { begin, width, ports, messages } = rates;
  const end = begin + width * ports.length;
  const most = Math.max(max(ports) ?? 0, max(messages) ?? 0) || 1;
  const x = scaleLinear([begin, end], [LEFT, WIDTH - RIGHT]);
  const y = scaleLinear([0, most], [HEIGHT - BOTTOM, TOP]);
  const svg = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    width: WIDTH,
    role: "img",
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": 11,
    fill: theme.faint,
    "aria-label": `The ports sent up to ${byteText(max(ports) ?? 0)} a second, messages up to ${byteText(max(messages) ?? 0)} a second`,
  });
  svg.style.maxWidth = "100%";
  for (const tick of [0, most / 2, most])
    svg.append(
      shape("line", {
        x1: LEFT,
        x2: WIDTH - RIGHT,
        y1: y(tick),
        y2: y(tick),
        stroke: theme.rule,
        "stroke-width": 0.6,
      }),
      shape("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, `${byteText(tick)}/s`),
    );
  const steps = (values: ArrayLike<number>) =>
    Array.from(values, (value, place) => {
      const [from, to] = [x(begin + place * width), x(begin + (place + 1) * width)];
      return `${from},${y(value)} ${to},${y(value)}`;
    });
  const area = [`${x(begin)},${y(0)}`, ...steps(ports), `${x(end)},${y(0)}`].join(" ");
  svg.append(
    shape("polygon", { points: area, fill: theme.unlit }),
    shape("polyline", {
      points: steps(messages).join(" "),
      fill: "none",
      stroke: theme.accent,
      "stroke-width": 1.5,
    }),
    shape("text", { x: LEFT, y: HEIGHT - 7 }, secondText(begin)),
    shape("text", { x: WIDTH - RIGHT, y: HEIGHT - 7, "text-anchor": "end" }, secondText(end)),
    shape("rect", { x: LEFT, y: 6, width: 11, height: 9, fill: theme.unlit }),
    shape("text", { x: LEFT + 16, y: 14 }, "sent by the ports of all nodes"),
    shape("line", {
      x1: LEFT + 196,
      x2: LEFT + 210,
      y1: 10,
      y2: 10,
      stroke: theme.accent,
      "stroke-width": 1.5,
    }),
    shape("text", { x: LEFT + 215, y: 14 }, "messages of ranks to other nodes"),
  );
  return svg;
}
