/** The network ports of each node over time, in the intervals of the ranks' time line. */
import type { Context } from "../shell/context.ts";
import { HOT, type Scale, STEPS } from "../ui/colours.ts";
import { redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { saveCsv } from "../ui/files.ts";
import { legend } from "../ui/legend.ts";
import { MatrixDrawing } from "../ui/matrix.ts";
import { savePng } from "../ui/pictures.ts";
import type { Facts } from "../ui/tip.ts";
import { byteText, countOf, percentText, secondTexts } from "../units.ts";
import type { PortLines, TimeLineData } from "./contract.ts";
import { margins } from "./margins.ts";
import { blockedText, type PortRows, portRows, portsTitle } from "./port_rows.ts";

const [ROW, HIGHEST] = [22, 420];

export class Ports {
  private readonly figure = figure(
    "network-line",
    () => {
      this.save();
    },
    () => {
      this.picture();
    },
  );
  readonly card = this.figure.card;
  private readonly legend = element("div", [], "legend");
  private readonly stage = element("div");
  private readonly none = element("p", "The selected nodes have no counters of the network.", "empty");
  private readonly drawing: MatrixDrawing;
  private found: PortRows;

  constructor(
    private readonly context: Context,
    private readonly data: TimeLineData,
    private readonly ports: PortLines,
  ) {
    this.figure.body.append(element("div", this.legend, "under"), this.stage, this.none);
    this.drawing = new MatrixDrawing(this.stage);
    this.found = this.rows();
  }

  show(): void {
    const { context, data, figure } = this;
    const { theme } = context;
    this.found = this.rows();
    const { found } = this;
    this.stage.hidden = !found.rows.length;
    this.none.hidden = !this.stage.hidden;
    this.legend.hidden = this.stage.hidden;
    redraw(this.legend, legend(this.scale()));
    figure.title.textContent = this.title();
    figure.caption.textContent = this.caption();
    figure.use.textContent =
      "Zoom with Ctrl and the wheel, drag to move, double-click to show everything; click to filter by the node.";
    if (!found.rows.length) return;
    this.drawing.show(
      {
        label: this.title(),
        rows: found.rows.length,
        columns: data.count,
        values: found.values,
        lit: null,
        hot: found.blocked,
        logarithmic: true,
        most: found.most,
        rowName: (row) => this.host(found, row),
        columnName: () => "",
        rowTitle: "node",
        columnTitle: "",
        text: null,
        facts: (row, column) => this.facts(found, row, column),
        choose: (row) => {
          context.toggle("node", this.host(found, row));
        },
        chosen: null,
        largest: Infinity,
        highest: HIGHEST,
        square: false,
        rowHeight: ROW,
        margins: margins(data, found, theme),
      },
      theme,
    );
  }

  private rows(): PortRows {
    const { context, data, ports } = this;
    return portRows(context.run, data, ports, context.selection);
  }

  private host(found: PortRows, row: number): string {
    return this.context.run.axes.hosts[this.ports.host[found.rows[row]]];
  }

  private title(): string {
    return portsTitle(this.context.run, this.data, this.ports, this.found);
  }

  private scale(): Scale {
    const { ramp, ground } = this.context.theme;
    const { most } = this.found;
    return {
      low: `up to ${byteText(most / 1000)}/s`,
      high: `${byteText(most)}/s`,
      colours: [0, 0.25, 0.5, 0.75, 1].map((place) => ramp[Math.round(place * (STEPS - 1))]),
      marks: [
        { colour: HOT, text: `blocked for ${percentText(this.ports.much / 100)} of the time or more` },
        { colour: ground, text: "nothing" },
      ],
    };
  }

  private caption(): string {
    const { others } = this.ports;
    return [
      "A row is a node. Colour: bytes per second at its network ports in both directions, without headers of packets, by orders of magnitude; blank: no samples.",
      "Blocked: ports had data to send and could not, of the time in which they had data (estimated).",
      "Counters are sampled once a second or less often: shorter intervals have the mean of their sample.",
      "Above: the phases of the run and the mean over nodes; on the right: the mean over time.",
      ...(others ? [`Left out, because the others moved more: ${countOf(others, "node")}.`] : []),
    ].join(" ");
  }

  private facts(found: PortRows, row: number, column: number): Facts {
    const { data, ports } = this;
    const from = data.begin + column * data.width;
    const cell = found.rows[row] * data.count + column;
    const rate = (value: number) => (Number.isNaN(value) ? "no samples" : `${byteText(value)}/s`);
    return {
      head: this.host(found, row),
      note: secondTexts([Math.max(from, 0), from + data.width]).join(" to "),
      rows: [
        ["sent by its ports", rate(ports.sent[cell])],
        ["received by its ports", rate(ports.received[cell])],
        ["blocked", blockedText(ports.blocked[cell])],
        ["mean over nodes, both directions", rate(found.overRows[column])],
        ["mean over time, both directions", rate(found.overTime[row])],
      ],
    };
  }

  private save(): void {
    const { data, ports, found } = this;
    const { count, begin, width } = data;
    saveCsv("network-line", [
      [
        "node",
        "from_seconds",
        "to_seconds",
        "sent_bytes_per_second",
        "received_bytes_per_second",
        "percent_blocked",
      ],
      ...found.rows.flatMap((row, at) =>
        Array.from({ length: count }, (_, column) => {
          const cell = row * count + column;
          const from = begin + column * width;
          const blocked = ports.blocked[cell];
          return [
            this.host(found, at),
            from,
            from + width,
            ports.sent[cell],
            ports.received[cell],
            blocked > 100 ? "" : blocked,
          ];
        }),
      ),
    ]);
  }

  private picture(): void {
    const show = () => {
      this.show();
    };
    savePng("network-line", show, () => ({
      title: this.title(),
      scale: this.scale(),
      parts: [{ title: "", canvas: this.drawing.canvas }],
      caption: this.figure.caption.textContent,
    }));
  }
}
