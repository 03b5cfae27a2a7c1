/** Possible improvements: findings with the command for each, and the next command to type. */
import { button, element } from "../ui/dom.ts";
import { command } from "../ui/copy.ts";
import { figure, type Figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import type { FindingData, OverviewData } from "./contract.ts";

export function findingsFigure(data: OverviewData): Figure {
  const { findings } = data;
  const made = figure(
    "findings",
    findings.length
      ? () => {
          saveCsv("findings", [
            ["finding", "could save", "confidence", "command"],
            ...findings.map((one) => [one.title, one.share, one.confidence, one.command]),
          ]);
        }
      : null,
    null,
  );
  made.title.textContent = findings.length
    ? `Possible saving: ${findings[0].share} of the run from one finding`
    : "No saving stands out";
  if (!findings.length) made.body.append(element("p", data.noFindings, "sub"));
  made.body.append(...findings.map(findingOf));
  made.caption.textContent = findings.length
    ? "Share of the run time of all ranks. Savings of different findings overlap: do not add them up."
    : "";
  return made;
}

function findingOf(one: FindingData): HTMLElement {
  const list = element("dl", [], "why");
  for (const [name, text] of one.facts) list.append(element("dt", name), element("dd", text));
  list.hidden = true;
  const why = button(
    "why",
    () => {
      list.hidden = !list.hidden;
      why.setAttribute("aria-expanded", String(!list.hidden));
    },
    `why: ${one.title}`,
  );
  why.className = "plain";
  why.setAttribute("aria-expanded", "false");
  const line = command(one.command);
  line.append(why);
  return element(
    "article",
    [
      element("div", [
        element("strong", one.share),
        element("span", one.confidence, `sure ${one.confidence}`),
      ]),
      element("div", [element("h3", one.title), line, list]),
    ],
    "finding",
  );
}

export function nextCard(data: OverviewData): HTMLElement {
  return element(
    "section",
    [
      element("h2", "Next"),
      ...data.next.map(({ command: text, why }) =>
        element("div", [command(text), element("span", why, "sub")], "step"),
      ),
    ],
    "card next",
  );
}
