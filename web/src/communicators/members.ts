/** Lists of ranks: `0-3,8,12-96:4`, `7-0:-1`, `?x12` for members that are not known; two groups: `0 + 1-3`. */

const ENTRY = /^(\d+)(?:-(\d+)(?::(-?\d+))?)?$/;

/** Call with each known rank below `end`. */
export function eachRank(text: string, end: number, tell: (rank: number) => void): void {
  for (const entry of text.split(/,| \+ /)) {
    const found = ENTRY.exec(entry);
    if (!found) continue;
    const first = Number(found[1]);
    const last = Number(found.at(2) ?? first);
    const step = Math.abs(Number(found.at(3) ?? 1)) || 1;
    const [low, high] = [Math.min(first, last), Math.max(first, last)];
    for (let rank = low; rank <= high && rank < end; rank += step) tell(rank);
  }
}

/** All ranks of a list, one by one, in its order; at most `most`. */
export function expanded(text: string, most: number): string {
  const groups = text.split(" + ").map((group) => {
    const ranks: string[] = [];
    for (const entry of group.split(",")) {
      const found = ENTRY.exec(entry);
      if (!found) {
        ranks.push(entry);
        continue;
      }
      const [first, last] = [Number(found[1]), Number(found.at(2) ?? found[1])];
      const step = Number(found.at(3) ?? 1) || 1;
      for (let rank = first; step > 0 ? rank <= last : rank >= last; rank += step) {
        if (ranks.length === most) {
          ranks.push("…");
          break;
        }
        ranks.push(String(rank));
      }
      if (ranks.length > most) break;
    }
    return ranks.join(", ");
  });
  return groups.join(" + ");
}
