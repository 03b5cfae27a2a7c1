/** What the colours of links mean. */
import { HOT, STEPS } from "../ui/colours.ts";
import { element } from "../ui/dom.ts";
import { amountText } from "./facts.ts";
import { EXCESS, type View } from "./view.ts";

export function legend(view: View): Node[] {
  const { lit, theme, state } = view;
  const most = lit ? lit.most[state.rail] : view.most;
  const text = (value: number) => (lit ? amountText(view, value) : view.text(value));
  const strip = element("span", [], "strip");
  const stops = [0, 0.25, 0.5, 0.75, 1].map((place) => theme.ramp[Math.round(place * (STEPS - 1))]);
  strip.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  const parts: Node[] = [element("span", text(0)), strip, element("span", text(most))];
  if (lit) {
    const dot = element("span", [], "dot");
    dot.style.background = theme.unlit;
    parts.push(element("span", [dot, "not of it"], "entry"));
  } else {
    const dot = element("span", [], "dot");
    dot.style.background = HOT;
    parts.push(element("span", [dot, `more than ${EXCESS} × both bound and mean of its class`], "entry"));
  }
  return parts;
}
