/** Where the time went: one bar with its parts. */
import { element } from "../ui/dom.ts";
import { figure, type Figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { saveSvg } from "../ui/pictures.ts";
import type { TimeData } from "./contract.ts";
import { barDrawing } from "./drawings.ts";

export function timeFigure(data: TimeData): Figure {
  const known = !data.missing;
  const made = figure(
    "time",
    known
      ? () => {
          saveCsv("time", [
            ["part", "% of the run", "seconds, mean of the ranks"],
            ...data.parts.map(({ label, percent, seconds }) => [label, percent, seconds]),
            ["Init, Finalize", "", data.apart.seconds],
          ]);
        }
      : null,
    known
      ? () => {
          saveSvg("time", [{ title: data.title, svg: barDrawing(data) }]);
        }
      : null,
  );
  made.title.textContent = known ? data.title : "It is unknown where the time went";
  if (!known) {
    made.body.append(element("p", data.missing, "empty"));
    return made;
  }
  const bar = element("div", [], "stacked");
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", data.parts.map(({ label, text }) => `${label} ${text}`).join(", "));
  const whole = 100 + data.apart.percent;
  const lines = data.parts.map((part) => {
    const slice = element("span", [], `part ${part.name}`);
    slice.style.width = `${((100 * part.percent) / whole).toFixed(2)}%`;
    slice.title = `${part.label} ${part.text}: ${part.meaning}`;
    bar.append(slice);
    const line = element("tr", [
      element("td", [element("span", [], `dot part ${part.name}`), part.label]),
      element("td", part.text, "number"),
      element("td", part.time, "number"),
    ]);
    line.title = part.meaning;
    return line;
  });
  const { apart } = data;
  if (apart.seconds > 0) {
    const slice = element("span", [], "part apart");
    slice.style.width = `${((100 * apart.percent) / whole).toFixed(2)}%`;
    slice.title = `MPI_Init and MPI_Finalize ${apart.time}`;
    bar.append(slice);
    lines.push(
      element("tr", [
        element("td", [element("span", [], "dot part apart"), "Init, Finalize"]),
        element("td", "apart", "number"),
        element("td", apart.time, "number"),
      ]),
    );
  }
  const head = element("tr", [
    element("th", data.wall),
    element("th", "of the run", "number"),
    element("th", "a rank", "number"),
  ]);
  made.body.append(bar, element("table", [element("thead", head), element("tbody", lines)], "parts"));
  made.caption.textContent =
    "100 %: all ranks' time between Init and Finalize; a rank: the mean." +
    (data.parts.some(({ text }) => text.startsWith("~")) ? " ~: estimated from a sample." : "");
  return made;
}
