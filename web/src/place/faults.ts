/** Faults in the placement of ranks and their threads, in words, and their cost. */
import { redraw } from "../ui/controls.ts";
import { button, element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { countOf, secondText } from "../units.ts";
import type { PlaceView } from "./view.ts";

export class Faults {
  private readonly figure = figure(
    "faults",
    () => {
      this.save();
    },
    null,
  );
  readonly card = this.figure.card;
  private view: PlaceView | null = null;

  show(view: PlaceView): void {
    this.view = view;
    const { faults, findings, unseen } = view.data;
    const { axes } = view.context.run;
    const where = `${countOf(axes.ranks, "rank")} on ${countOf(view.hosts.length, "node")}`;
    const [first] = faults;
    this.figure.title.textContent = faults.length
      ? `${capital(first.what)}${faults.length > 1 ? `; and ${countOf(faults.length - 1, "other fault")}` : ""}`
      : unseen
        ? `${where}: the inside of the nodes is unknown`
        : `${where}: no problem with their placement`;
    const parts: Node[] = [];
    if (unseen) parts.push(element("p", unseen, "empty"));
    if (faults.length)
      parts.push(
        element(
          "ul",
          faults.map((fault) => this.fault(view, fault)),
          "faults",
        ),
      );
    if (findings.length)
      parts.push(
        element("h3", "Possible cost"),
        element(
          "ul",
          findings.map(({ title, seconds, confidence, rule }) =>
            element("li", [
              `${title}: at most ${secondText(seconds)} summed over ranks `,
              element("span", `(confidence ${confidence}; rankwise explain ${rule})`, "sub"),
            ]),
          ),
          "faults",
        ),
      );
    redraw(this.figure.body, parts);
    this.figure.use.textContent = faults.length
      ? "Buttons select the ranks, or the node, for the whole report."
      : "";
    this.figure.caption.textContent = faults.length
      ? "Each row is a kind of fault, the worst first."
      : unseen
        ? ""
        : "Checked, not present: several ranks on one core, ranks and threads that are not bound, more threads than processors," +
          " nodes with fewer ranks than others, network cards and GPUs on another socket.";
  }

  private fault(
    view: PlaceView,
    { kind, what, cure, ranks, hosts }: PlaceView["data"]["faults"][number],
  ): HTMLElement {
    const { context } = view;
    const parts: (string | Node)[] = [
      element("span", kind, "badge"),
      ` ${capital(what)}.${cure ? ` ${capital(cure)}.` : ""} `,
    ];
    const choose = (text: string, act: () => void) => {
      const made = button(text, act);
      made.className = "plain";
      made.dataset.key = `${kind} ${text}`;
      parts.push(made, " ");
    };
    if (ranks)
      choose(ranks.length < 24 ? `ranks ${ranks}` : "these ranks", () => {
        context.toggle("ranks", ranks);
      });
    if (hosts.length === 1 && view.hosts.length > 1)
      choose(view.hosts[hosts[0]], () => {
        context.toggle("node", view.hosts[hosts[0]]);
      });
    return element("li", parts);
  }

  private save(): void {
    if (!this.view) return;
    const { data, hosts } = this.view;
    saveCsv("faults", [
      ["kind", "ranks", "nodes", "what", "cure"],
      ...data.faults.map((fault) => [
        fault.kind,
        fault.ranks,
        Array.from(fault.hosts, (host) => hosts[host]).join(" "),
        fault.what,
        fault.cure,
      ]),
    ]);
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
