/** The efficiency as a tree of bars: each factor is the product of those below it. */
import { element } from "../ui/dom.ts";
import { figure, type Figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { saveSvg } from "../ui/pictures.ts";
import type { EfficiencyData, EfficiencyNode } from "./contract.ts";
import { treeDrawing } from "./drawings.ts";

export function efficiencyFigure(data: EfficiencyData): Figure {
  const { tree } = data;
  if (!tree) {
    const made = figure("efficiency", null, null);
    made.title.textContent = "Efficiency is unknown";
    made.body.append(element("p", data.missing, "empty"));
    return made;
  }
  const made = figure(
    "efficiency",
    () => {
      saveCsv("efficiency", [
        ["metric", "value", "low", "high", "formula", "source"],
        ...all(tree).map((one) => [
          one.metric,
          one.value,
          one.between?.[0] ?? one.value,
          one.between?.[1] ?? one.value,
          one.formula,
          one.source,
        ]),
      ]);
    },
    () => {
      saveSvg("efficiency", [{ title: data.title ?? "", svg: treeDrawing(tree) }]);
    },
  );
  made.title.textContent = data.title ?? "";
  made.body.append(nodeOf(tree, 0));
  const words = element("details", [element("summary", "what these mean")], "words");
  const list = element("dl");
  for (const one of all(tree))
    list.append(element("dt", one.label), element("dd", `${one.meaning} = ${one.formula}. ${one.source}.`));
  words.append(list);
  made.caption.textContent = [
    "1 is best. Each bar is the product of the bars below it; ~: estimated.",
    ...(data.notes ?? []),
  ].join(" ");
  made.card.append(words);
  return made;
}

function nodeOf(one: EfficiencyNode, depth: number): HTMLElement {
  const filled = element("span");
  filled.style.width = `${(100 * Math.max(0, Math.min(1, one.value))).toFixed(1)}%`;
  const bar = element("span", filled, "bar");
  if (one.between) {
    const range = element("i");
    range.style.left = `${(100 * one.between[0]).toFixed(1)}%`;
    range.style.width = `${(100 * (one.between[1] - one.between[0])).toFixed(1)}%`;
    bar.append(range);
  }
  const line = element(
    "div",
    [element("span", one.label, "label"), bar, element("strong", one.text)],
    "factor",
  );
  line.tabIndex = 0;
  line.title = `${one.meaning}\n= ${one.formula}\n${one.source}`;
  line.setAttribute("role", "img");
  line.setAttribute("aria-label", `${one.label} ${one.text}: ${one.meaning}`);
  const below = one.below.map((other) => nodeOf(other, depth + 1));
  return element("div", below.length ? [line, element("div", below, "below")] : [line]);
}

function all(one: EfficiencyNode): EfficiencyNode[] {
  return [one, ...one.below.flatMap(all)];
}
