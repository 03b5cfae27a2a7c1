/** Files to keep: tables as CSV, pictures as PNG or SVG. */

export type Cell = string | number;

function save(name: string, content: Blob): void {
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

/** The canvases one below the other, on the paper's colour, with a title. */
export function savePng(name: string, title: string, canvases: readonly HTMLCanvasElement[]): void {
  const style = getComputedStyle(document.documentElement);
  const scale = window.devicePixelRatio;
  const head = 34 * scale;
  const picture = document.createElement("canvas");
  picture.width = Math.max(...canvases.map((canvas) => canvas.width));
  picture.height = head + canvases.reduce((sum, canvas) => sum + canvas.height, 0);
  const context = picture.getContext("2d");
  if (!context) return;
  context.fillStyle = style.getPropertyValue("--paper");
  context.fillRect(0, 0, picture.width, picture.height);
  context.fillStyle = style.getPropertyValue("--ink");
  context.font = `600 ${14 * scale}px ${getComputedStyle(document.body).fontFamily}`;
  context.fillText(title, 10 * scale, 22 * scale, picture.width - 20 * scale);
  let top = head;
  for (const canvas of canvases) {
    context.drawImage(canvas, 0, top);
    top += canvas.height;
  }
  picture.toBlob((blob) => {
    if (blob) save(`${name}.png`, blob);
  });
}

export function saveSvg(name: string, svg: SVGElement): void {
  const copy = svg.cloneNode(true) as SVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  save(`${name}.svg`, new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
}
