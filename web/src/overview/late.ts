/** The ranks that the others waited for. */
import { button, element } from "../ui/dom.ts";
import { figure, type Figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import type { LateData } from "./contract.ts";

export function lateFigure(data: LateData, open: (rank: number) => void): Figure {
  const { rows } = data;
  const made = figure(
    "late",
    rows.length
      ? () => {
          saveCsv("late-ranks", [
            ["rank", "host", "others waited, seconds", "of all waiting"],
            ...rows.map(({ rank, host, seconds, share }) => [rank, host, seconds, share]),
          ]);
        }
      : null,
    null,
  );
  made.title.textContent = data.title;
  if (data.missing) made.body.append(element("p", data.missing, "sub"));
  for (const { rank, host, time, share, text } of rows) {
    const filled = element("span");
    filled.style.width = `${(100 * Math.min(1, share)).toFixed(1)}%`;
    const name = button(
      `rank ${rank}`,
      () => {
        open(rank);
      },
      `rank ${rank} on the page Balance`,
    );
    name.className = "link";
    made.body.append(
      element(
        "div",
        [
          element("span", [name, element("span", ` ${host}`, "sub")], "label"),
          element("span", filled, "bar"),
          element("span", `${time}, ${text}`, "number"),
        ],
        "factor",
      ),
    );
  }
  if (data.waiting.length) made.body.append(element("p", `Waiting: ${data.waiting.join("; ")}.`, "note"));
  if (data.spread.length) made.body.append(element("p", `In MPI: ${data.spread.join(", ")}.`, "note"));
  made.caption.textContent = rows.length
    ? "Waiting of others in collectives and for messages, with indirect waiting passed on to its root cause; excluding waiting while the rank was in the previous collective."
    : "";
  return made;
}
