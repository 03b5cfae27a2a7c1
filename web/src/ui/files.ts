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

export function saveCsv(name: string, rows: readonly (readonly Cell[])[]): void {
  const text = rows.map((row) => row.map(field).join(",")).join("\r\n");
  save(`${name}.csv`, new Blob([text, "\r\n"], { type: "text/csv" }));
}

/** Quoted where it must be; a text that a spreadsheet would take for a formula is a text to it, too. */
function field(cell: Cell): string {
  if (typeof cell === "number") return Number.isNaN(cell) ? "" : String(cell);
  const harmless = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
