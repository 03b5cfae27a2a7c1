/** Files to keep. */

export type Cell = string | number;

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 10_000);
}

/** Rows that are joined at once: all of them may exceed the maximum length of a string. */
const JOINED = 10_000;

export function saveCsv(name: string, rows: Iterable<readonly Cell[]>): void {
  save(`${name}.csv`, new Blob(csvPieces(rows), { type: "text/csv" }));
}

/** The text of a file, in pieces. */
export function csvPieces(rows: Iterable<readonly Cell[]>): string[] {
  const pieces: string[] = [];
  let lines: string[] = [];
  for (const row of rows) {
    if (lines.push(`${row.map(field).join(",")}\r\n`) < JOINED) continue;
    pieces.push(lines.join(""));
    lines = [];
  }
  pieces.push(lines.join(""));
  return pieces;
}

/** Quoted if necessary. A text that a spreadsheet would treat as a formula is protected. A dash means no value. */
function field(cell: Cell): string {
  if (typeof cell === "number") return Number.isNaN(cell) ? "" : String(cell);
  if (cell === "-") return "";
  const harmless = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
