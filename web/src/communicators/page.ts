/** Communicators: how each was made, its members, and its traffic. */
import "./communicators.css";
import { choice, redraw } from "../ui/controls.ts";
import { element } from "../ui/dom.ts";
import { figure } from "../ui/figure.ts";
import { MatrixDrawing } from "../ui/matrix.ts";
import { savePng } from "../ui/pictures.ts";
import type { Context } from "../shell/context.ts";
import type { Open, Page } from "../shell/page_interface.ts";
import type { Selection } from "../shell/selection.ts";
import { countOf, percentText } from "../units.ts";
import { CommunicatorAmounts } from "./amounts.ts";
import { chosenFacts } from "./chosen.ts";
import type { CommunicatorsData } from "./contract.ts";
import { blockName, laneFacts, type Lanes, lanesOf, membershipFinding, share } from "./lanes.ts";
import { ancestry, type Branch, explanation, inOrderOfRanks, linesOf, sortBranches } from "./model.ts";
import { saveLanes, saveTree } from "./save.ts";
import { communicatorTree, isShown, keyOf, type TreeState } from "./tree.ts";

const COLOURS = ["time", "members"] as const;
const ROWS = ["families", "each"] as const;

export const page: Page = {
  name: "communicators",
  title: "Communicators",
  order: 30,
  options: ["colour", "lanes"],
  there: ({ run }) => run.communicators !== undefined,
  open: (context, parent) => {
    const data = context.run.communicators;
    return data ? new CommunicatorsPage(context, parent, data) : { show: () => undefined };
  },
};

class CommunicatorsPage implements Open {
  private readonly tree = figure(
    "communicators",
    () => {
      saveTree(this.context, this.data, this.roots);
    },
    null,
  );
  private readonly lanes = figure(
    "lanes",
    () => {
      saveLanes(this.context, this.found());
    },
    () => {
      this.saveImage();
    },
  );
  private readonly chosen = figure("chosen-communicator", null, null);
  private readonly roots: Branch[];
  private readonly several: boolean;
  private readonly find = element("input", [], "find");
  private readonly lines = element("div", [], "tree-scroll");
  private readonly controls = element("div", [], "under");
  private readonly drawn = element("div", [], "stage");
  private readonly drawing = new MatrixDrawing(this.drawn);
  private readonly state: TreeState = { turned: new Set(), wanted: "" };

  constructor(
    private readonly context: Context,
    parent: HTMLElement,
    private readonly data: CommunicatorsData,
  ) {
    this.roots = ancestry(context.run, data);
    this.several = linesOf(this.roots, () => true).some(({ branch }) => branch.ones.length > 1);
    this.find.type = "search";
    this.find.placeholder = "Find in the tree …";
    this.find.setAttribute("aria-label", "find communicators by name, or by the procedure that created them");
    this.find.addEventListener("input", () => {
      this.state.wanted = this.find.value.trim().toLowerCase();
      this.showTree();
    });
    this.tree.body.append(element("div", this.find, "under"), this.lines);
    this.lanes.body.append(this.controls, this.drawn);
    parent.append(this.tree.card, this.chosen.card, this.lanes.card);
    this.show();
  }

  show(): void {
    this.showTree();
    this.showChosen();
    this.showLanes();
  }

  /** The part that the other filters leave, with the chosen communicator marked in it. */
  private get selection(): Selection {
    return this.context.without("communicator");
  }

  private showTree(): void {
    const { context, data, tree, roots, selection } = this;
    const amounts = new CommunicatorAmounts(selection);
    sortBranches(roots, (branch) => amounts.of(branch).seconds);
    const [top] = linesOf(roots, (branch) => branch.open)
      .map(({ branch }) => branch)
      .filter((branch) => branch.name)
      .sort((one, other) => amounts.of(other).seconds - amounts.of(one).seconds);
    tree.title.textContent = amounts.all.seconds
      ? `${top.label} takes ${percentText(amounts.of(top).seconds / amounts.all.seconds)} of the time in MPI${selection.left}`
      : "No call is in this part of the run";
    const table = communicatorTree(context, data, roots, amounts, this.state, (branch) => {
      const { turned } = this.state;
      if (!turned.delete(keyOf(branch))) turned.add(keyOf(branch));
      this.showTree();
    });
    const [left, above] = [this.lines.scrollLeft, this.lines.scrollTop];
    redraw(this.lines, [table]);
    this.lines.scrollTo(left, above);
    const { each } = context.run.axes.communicators;
    tree.caption.textContent =
      "Below each communicator are those created from it. Communicators that one line of the program created on all parts of their parents " +
      `are one line${each ? ", which opens" : ": there are too many to list"}. ` +
      "Bars of time are shares of all time shown; life: from creation to release" +
      (data.waiting.length
        ? "; waiting: in blocking collectives, if arrivals are known, for the whole run."
        : ".") +
      this.roots
        .filter((branch) => !branch.count && isShown(branch, amounts))
        .map((branch) => ` ${branch.name}: ${explanation(branch)}.`)
        .join("");
    tree.use.textContent = "Click a row to filter every page; the arrow keys go up and down, open and close.";
  }

  private showChosen(): void {
    const { context, chosen, data, roots } = this;
    const wanted = context.state.filter.communicator;
    const branch = linesOf(roots, () => true).find((line) => wanted && line.branch.name === wanted)?.branch;
    chosen.card.hidden = !branch;
    if (!branch) return;
    chosen.title.textContent = branch.label;
    redraw(chosen.body, [chosenFacts(context, data, branch)]);
  }

  private get rows(): Branch[] {
    const each = this.several && this.context.option("lanes", ROWS) === "each";
    const known = inOrderOfRanks(this.roots, this.data);
    return known.filter(
      (branch) => branch.name && branch.count && (each ? branch.ones.length === 1 : branch.family),
    );
  }

  private found(): Lanes {
    return lanesOf(this.rows, this.selection, this.data);
  }

  private showLanes(): void {
    const { context, lanes, data, selection } = this;
    const { run } = context;
    const found = this.found();
    const byTime = context.option("colour", COLOURS) === "time";
    const each = context.option("lanes", ROWS) === "each";
    lanes.title.textContent = membershipFinding(this.roots, selection, data);
    redraw(this.controls, [
      choice(
        "colour",
        [
          { value: "time", text: "time" },
          { value: "members", text: "members" },
        ],
        byTime ? "time" : "members",
        (value) => {
          context.choose("colour", value === "time" ? null : value);
        },
      ),
      ...(this.several
        ? [
            choice(
              "rows",
              [
                { value: "families", text: "families" },
                { value: "each", text: "each communicator" },
              ],
              each ? "each" : "families",
              (value) => {
                context.choose("lanes", value === "families" ? null : value);
              },
            ),
          ]
        : []),
    ]);
    const shown = found.rows.length > 0 && found.blocks.length > 0;
    this.drawn.hidden = !shown;
    if (!shown) {
      lanes.caption.textContent = "No communicator has a rank of this part of the run.";
      lanes.use.textContent = "";
      return;
    }
    const width = found.blocks.length;
    const values = found.members.map((count, place) => (count || found.seconds[place] ? 1 : NaN));
    const chosen = found.rows.findIndex(({ name }) => name === context.state.filter.communicator);
    this.drawing.show(
      {
        label: "ranks by communicators",
        rows: found.rows.length,
        columns: width,
        values,
        lit: byTime
          ? found.seconds.map((seconds, place) => {
              const part = share(seconds, found.all[place % width]);
              return part < found.most / 1000 ? 0 : part;
            })
          : null,
        hot: null,
        logarithmic: byTime,
        most: byTime ? found.most : 1,
        rowName: (row) => found.rows[row].label,
        columnName: (column) => blockName(found, column, run),
        rowTitle: "communicators",
        columnTitle: "ranks",
        text: null,
        facts: (row, column) => laneFacts(found, row, column, run, data),
        choose: (row) => {
          context.toggle("communicator", found.rows[row].name);
        },
        chosen: chosen < 0 ? null : [chosen, -1],
        largest: Infinity,
        highest: 640,
        rowHeight: 22,
        square: false,
      },
      context.theme,
    );
    lanes.caption.textContent = this.lanesCaption(found, byTime);
    lanes.use.textContent = "zoom with Ctrl and the wheel; click a cell to select its communicator.";
  }

  private lanesCaption(found: Lanes, byTime: boolean): string {
    const { together } = found;
    return [
      "A row is a communicator, window or file, or a family of them, in the order of the tree; a column is a rank of MPI_COMM_WORLD.",
      byTime && !found.most
        ? "No rank spends time in MPI there. Grey: a member; empty: no member."
        : byTime
          ? `Coloured: the share of a rank's time in MPI spent there, over three powers of ten up to ${percentText(found.most)}; ` +
            "grey: a member that spends less, or none; empty: no member."
          : "Coloured: the rank is a member of it, or of a member of the family.",
      together > 1 ? `${countOf(together, "rank")} with neighbouring numbers form one column.` : "",
      "Where a pixel has several cells, it shows the largest.",
    ]
      .filter(Boolean)
      .join(" ");
  }

  private saveImage(): void {
    const { lanes, context } = this;
    const byTime = context.option("colour", COLOURS) === "time";
    const { theme } = context;
    const show = () => {
      this.showLanes();
    };
    savePng("ranks-by-communicators", show, () => ({
      title: lanes.title.textContent,
      scale: {
        low: byTime ? percentText(this.found().most / 1000) : "",
        high: byTime ? percentText(this.found().most) : "member",
        colours: byTime ? theme.ramp : theme.ramp.slice(-2),
        marks: byTime ? [{ colour: theme.unlit, text: "member, less time" }] : [],
      },
      parts: [{ title: "", canvas: this.drawing.canvas }],
      caption: lanes.caption.textContent,
    }));
  }
}
