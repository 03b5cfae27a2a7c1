/** The columns of the tree of callers, and of the file that is saved of it. */
import { element } from "../ui/dom.ts";
import type { Cell } from "../ui/files.ts";
import type { TreeColumn } from "../ui/tree.ts";
import { countText, percentText, secondText } from "../units.ts";
import { type Branch, endText, errorOf, frameName, type Share, shareText, ways } from "./call_tree.ts";
import type { CallersData, FramesData } from "./contract.ts";
import type { Row, SitesView } from "./view.ts";

/** A place, or a caller of it, with the exact numbers of the place. */
export interface Line {
  branch: Branch;
  row: Row;
}

export function callerColumns(view: SitesView, frames: FramesData): TreeColumn<Line>[] {
  const number = (name: string, meaning: string, text: (line: Line) => string): TreeColumn<Line> => ({
    name,
    meaning,
    right: true,
    content: text,
  });
  return [
    {
      name: "place and its callers",
      meaning: "function; below, where it calls the function above, and program or library",
      content: (line) => {
        const [name, below] = words(line, view, frames);
        return [element("span", [element("span", name), element("span", below, "sub")], "place")];
      },
    },
    {
      name: "% of MPI",
      meaning: "of the time in MPI, without MPI_Init and MPI_Finalize",
      right: true,
      content: ({ branch, row }) => {
        const share = (view.seconds ? row.group.seconds / view.seconds : 0) * (branch.time.percent / 100);
        const filled = element("span");
        filled.style.width = `${(100 * share).toFixed(1)}%`;
        return [estimate(branch.time, percentText(share)), element("span", filled, "bar")];
      },
    },
    number("% of place", "of the time of the call at its place, with the error (95 %)", ({ branch }) =>
      branch.level ? shareText(branch.time) : "",
    ),
    number(
      "time",
      "summed over ranks; exact for a place, with + for calls that never returned",
      ({ branch, row }) => {
        const seconds = row.group.seconds * (branch.time.percent / 100);
        return (
          estimate(branch.time, secondText(seconds)) + (!branch.level && row.group.unfinished ? "+" : "")
        );
      },
    ),
    number("calls", "summed over ranks; exact for a place", ({ branch, row }) => {
      const calls = row.group.calls * (branch.calls.percent / 100);
      return estimate(branch.calls, countText(Math.round(calls)));
    }),
    number("samples", "calls in the sample", ({ branch }) => countText(branch.samples)),
  ];
}

/** A number with the mark of an estimate, unless all calls are in the sample. */
function estimate(share: Share, text: string): string {
  return errorOf(share) > 0 && !text.startsWith("<") ? `~${text}` : text;
}

/** The title of a line, and its location below it. */
function words({ branch, row }: Line, view: SitesView, frames: FramesData): [name: string, below: string] {
  const { data } = view;
  if (!branch.level) {
    const within = data.function[row.site] ? `in ${data.function[row.site]} · ` : "";
    const library = view.libraryName(data.libraryOf[row.site]);
    const unknown = branch.samples ? "" : " · callers unknown: none of its calls is in the sample";
    const name = row.site ? `${view.procedure(row.procedure)} at ${view.name(row.site)}` : view.told(row);
    return [name, `${within}${library}${unknown}`];
  }
  const { frame } = branch;
  if (frame < 0) return endText(branch.ends);
  const library = `${frames.library[frame]}${frames.isProgram[frame] ? " (program)" : ""}`;
  return [frameName(frames, frame), frames.function[frame] ? `${frames.name[frame]} · ${library}` : library];
}

const SHARES = ["percent_of_place", "percent_of_calls"].flatMap((of) => [of, `${of}_low`, `${of}_high`]);
const HEAD = [
  ...["site", "function", "object", "call", "level", "path"],
  ...["caller", "caller_place", "caller_file", "caller_object", "ends"],
  ...["seconds", "calls", "percent_of_mpi", ...SHARES, "samples"],
];

/** A line for each place, and for each of its callers with the path that leads to it. */
export function callerCsv(view: SitesView, { frames }: CallersData, lines: readonly Line[]): Cell[][] {
  const { data } = view;
  const rows = lines.flatMap(({ branch: root, row }) =>
    ways(root).map((way): Cell[] => {
      const branch = way[way.length - 1];
      const { frame, time, calls } = branch;
      const of = (texts: readonly string[]) => (frame < 0 ? "" : texts[frame]);
      const through = way
        .slice(1)
        .map((one) => (one.frame < 0 ? endText(one.ends)[0] : frameName(frames, one.frame)));
      const seconds = row.group.seconds * (time.percent / 100);
      return [
        view.name(row.site),
        data.function[row.site],
        data.path[row.site],
        view.procedure(row.procedure),
        branch.level,
        [data.function[row.site] || view.name(row.site), ...through].join(" < "),
        ...[of(frames.function), of(frames.name), of(frames.file), of(frames.path), branch.ends],
        seconds,
        row.group.calls * (calls.percent / 100),
        view.seconds ? (100 * seconds) / view.seconds : 0,
        ...[time.percent, time.low, time.high, calls.percent, calls.low, calls.high],
        branch.samples,
      ];
    }),
  );
  return [HEAD, ...rows];
}
