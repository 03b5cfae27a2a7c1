/** The current view; the address of the page contains it. */
import type { Model, Pair } from "./model.ts";

export interface State {
  /** Index of the view. */
  view: number;
  surface: boolean;
  logarithmic: boolean;
  chosen: Pair | null;
}

export function startOf({ data }: Model): State {
  return { view: data.start, surface: data.surface, logarithmic: true, chosen: null };
}

export function toAddress(state: State, model: Model): string {
  const start = startOf(model);
  const parts = new URLSearchParams();
  const { statistic, size } = model.data.views[state.view];
  if (state.view !== start.view) {
    parts.set("statistic", statistic);
    parts.set("size", String(size));
  }
  if (state.surface !== start.surface) parts.set("shape", state.surface ? "surface" : "map");
  if (!state.logarithmic) parts.set("colours", "linear");
  if (state.chosen) parts.set("pair", state.chosen.join("."));
  return parts.toString();
}

/** Invalid parts are left out. */
export function fromAddress(address: string, model: Model): State {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  const start = startOf(model);
  const view = model.find(parts.get("statistic") ?? "", Number(parts.get("size")));
  const found = { ...start, view: view < 0 ? start.view : view };
  const shape = parts.get("shape");
  if (shape === "surface" || shape === "map") found.surface = shape === "surface";
  if (parts.get("colours") === "linear") found.logarithmic = false;
  const pair = /^(\d{1,7})\.(\d{1,7})$/.exec(parts.get("pair") ?? "");
  if (pair) {
    const [one, other] = [Number(pair[1]), Number(pair[2])];
    if (one < model.size && other < model.size && one !== other) found.chosen = [one, other];
  }
  return found;
}
