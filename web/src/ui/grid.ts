/** Tables whose cells can be walked through: one stop of the tab key for all of them, arrow keys within. */

/** Let the cells be reached with the arrow keys, Home and End; Enter and the space bar click one. */
export function walkable(table: HTMLTableElement): void {
  const lines = Array.from(table.rows, (row) => Array.from(row.cells));
  const all = lines.flat();
  for (const cell of all) cell.tabIndex = -1;
  const first =
    table.querySelector<HTMLElement>("td.now, th.now") ??
    table.querySelector<HTMLElement>("tbody td.pick") ??
    all.at(0);
  if (first) first.tabIndex = 0;
  table.addEventListener("focusin", ({ target }) => {
    for (const cell of all) cell.tabIndex = cell === target ? 0 : -1;
  });
  table.addEventListener("keydown", (event) => {
    const cell = event.target;
    if (!(cell instanceof HTMLTableCellElement)) return;
    const [row, column] = [lines.findIndex((line) => line.includes(cell)), cell.cellIndex];
    if (event.key === "Enter" || event.key === " ") cell.click();
    else {
      const next = neighbour(lines, row, column, event.key);
      if (!next) return;
      next.focus();
      next.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    event.preventDefault();
  });
}

function neighbour<Cell>(lines: Cell[][], row: number, column: number, key: string): Cell | undefined {
  if (key === "ArrowDown") return lines.at(row + 1)?.[column] ?? lines[row][column];
  if (key === "ArrowUp") return lines[Math.max(0, row - 1)][column];
  if (key === "ArrowRight") return lines[row][Math.min(column + 1, lines[row].length - 1)];
  if (key === "ArrowLeft") return lines[row][Math.max(0, column - 1)];
  if (key === "Home") return lines[row][0];
  return key === "End" ? lines[row].at(-1) : undefined;
}
