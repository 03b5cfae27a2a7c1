/** What a matrix shows, as a sentence. */
import { percentText } from "../units.ts";
import { amountText, valueOf } from "./measures.ts";
import { rowOfEach, type View } from "./view.ts";

/** From here on one pair is worth a word: so many times the mean. */
const MANY_TIMES = 4;

export function finding(view: View): string {
  const { cells, ends, measure, total } = view;
  if (!total.messages) return "No messages in this part of the run";
  // Of sizes the sums are those of bytes, or of messages where none has data.
  const of: "bytes" | "messages" = measure === "messages" || !total.bytes ? "messages" : "bytes";
  const amounts = cells.chosen[of];
  const rows = rowOfEach(cells);
  let [near, within, used, best] = [0, 0, 0, -1];
  for (let cell = 0; cell < amounts.length; cell++) {
    const [from, to] = [ends.rows.rank[rows[cell]], ends.rows.rank[cells.column[cell]]];
    const apart = Math.abs(from - to);
    if (apart === 1 || (ends.count > 2 && apart === ends.count - 1)) near += amounts[cell];
    if (from === to) within += amounts[cell];
    if (amounts[cell]) used++;
    if (ends.kind === "node" && from === to) continue;
    if (best < 0 || amounts[cell] > amounts[best]) best = cell;
  }
  const whole = total[of];
  if (best < 0 || !amounts[best]) return `All ${of} stay within their nodes`;
  const [from, to] = [ends.rows.rank[rows[best]], ends.rows.rank[cells.column[best]]];
  const { bytes, messages } = cells.chosen;
  const amount = amountText(measure, valueOf(measure, bytes[best], messages[best]));
  const pair = `${ends.name(from)} → ${ends.name(to)} carries most: ${amount}, ${percentText(amounts[best] / whole)} of the ${of}`;
  if (ends.kind === "node")
    return `${percentText((whole - within) / whole)} of the ${of} leave their node; ${pair}`;
  if (near / whole >= 0.5 && ends.together === 1)
    return `${percentText(near / whole)} of the ${of} go between neighbouring ranks`;
  const subject = ends.together > 1 ? "Ranks" : "Rank";
  if (amounts[best] >= (MANY_TIMES * whole) / used) return `${subject} ${pair}`;
  const pairs = ends.together > 1 ? `blocks of ${ends.together} ranks` : "ranks";
  return `${used.toLocaleString("en")} pairs of ${pairs} carry ${amountText(of, whole)}, none more than ${((amounts[best] * used) / whole).toFixed(1)} times the mean`;
}
