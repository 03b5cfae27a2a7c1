/** The meaning of the colours. */
import { HOT, type Scale, STEPS, type Theme } from "../ui/colours.ts";
import { amountText } from "./facts.ts";
import { highest } from "./model.ts";
import { EXCESS, type View } from "./view.ts";

/** Colours of links. */
export function linkScale(view: View): Scale {
  const { lit, theme, state } = view;
  const most = lit ? lit.most[state.rail] : view.most;
  const text = (value: number) => (lit ? amountText(view, value) : view.text(value));
  const unit = lit ? view.measure : state.unit;
  const marks = lit
    ? [{ colour: theme.unlit, text: "not selected" }]
    : [{ colour: HOT, text: `more than ${EXCESS} × both bound and mean of its class` }];
  return { low: text(0), high: withUnit(text(most), unit), colours: stops(theme), marks };
}

/** Colours of pairs of ranks: the last three decades. */
export function pairScale(view: View): Scale {
  const { lit, theme } = view;
  const most = highest(lit ? lit.cells : view.cells);
  return {
    low: `up to ${amountText(view, most / 1000)}`,
    high: withUnit(amountText(view, most), view.measure),
    colours: stops(theme),
    marks: lit ? [{ colour: theme.unlit, text: "not selected" }] : [],
  };
}

function withUnit(text: string, unit: string): string {
  return unit === "messages" ? `${text} messages` : unit === "ratio" ? `${text} the mean of its class` : text;
}

function stops(theme: Theme): string[] {
  return [0, 0.25, 0.5, 0.75, 1].map((place) => theme.ramp[Math.round(place * (STEPS - 1))]);
}
