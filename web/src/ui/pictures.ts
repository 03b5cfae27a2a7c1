/** Saved pictures, which need no page around them: PNG of canvases, SVG of drawings. */
import type { Scale } from "./colours.ts";
import { dots, FINE, finely } from "./dots.ts";
import { save } from "./files.ts";

export interface Picture {
  title: string;
  scale: Scale;
  parts: { title: string; canvas: HTMLCanvasElement }[];
  /** Below: how to read it, and its basis. */
  caption: string;
}

const EDGE = 12;
const LINE = 18;
const STRIP = 140;
const TICKED = 320;
/** From the left edge of a mark to its text. */
const MARK = 16;

/** Save the canvases one below the other, on the paper's colour; `show` draws them, in the requested resolution. */
export function savePng(name: string, show: () => void, picture: () => Picture): void {
  finely(FINE, () => {
    show();
    draw(name, picture());
  });
  show();
}

function draw(name: string, picture: Picture): void {
  const { title, scale, parts, caption } = picture;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!context) return;
  const style = getComputedStyle(document.documentElement);
  const colour = (of: string) => style.getPropertyValue(`--${of}`);
  const { fontFamily } = getComputedStyle(document.body);
  const fonts = { bold: `600 14px ${fontFamily}`, plain: `12px ${fontFamily}` };
  const fine = dots();
  const width = Math.max(480, ...parts.map((part) => part.canvas.width / fine)) + 2 * EDGE;
  context.font = fonts.bold;
  const head = broken(context, title, width - 2 * EDGE);
  context.font = fonts.plain;
  const foot = broken(context, caption, width - 2 * EDGE);
  const marks = placed(context, scale, width - EDGE);
  const above = (part: { title: string }) => (part.title ? LINE : 0);
  const drawn = parts.reduce((sum, part) => sum + above(part) + part.canvas.height / fine + 6, 0);
  const height = 2 * EDGE + (head.length + marks.lines + foot.length) * LINE + drawn;
  canvas.width = Math.round(width * fine);
  canvas.height = Math.round(height * fine);
  context.scale(fine, fine);
  context.fillStyle = colour("paper");
  context.fillRect(0, 0, width, height);
  let y = EDGE;
  const write = (lines: string[], font: string, ink: string) => {
    context.font = font;
    context.fillStyle = colour(ink);
    for (const line of lines) {
      context.fillText(line, EDGE, y + 13);
      y += LINE;
    }
  };
  write(head, fonts.bold, "ink");
  context.font = fonts.plain;
  drawScale(context, scale, y, colour("faint"));
  drawMarks(context, marks, y, colour("faint"));
  y += marks.lines * LINE;
  for (const part of parts) {
    if (part.title) write([part.title], fonts.bold, "ink");
    context.drawImage(part.canvas, EDGE, y, part.canvas.width / fine, part.canvas.height / fine);
    y += part.canvas.height / fine + 6;
  }
  write(foot, fonts.plain, "faint");
  canvas.toBlob((blob) => {
    if (blob) save(`${name}.png`, blob);
  });
}

interface Marks {
  /** Of the scale and the marks. */
  lines: number;
  at: { x: number; line: number; colour: string; text: string }[];
}

/** Put marks next to the scale, and if they have no room there, below it. */
function placed(context: CanvasRenderingContext2D, scale: Scale, right: number): Marks {
  const { colours, ticks, low, high } = scale;
  const wide = (text: string) => context.measureText(text).width;
  const below = ticks ? 2 : 1;
  let x = EDGE;
  if (colours.length) x += wide(low) + 10 + (ticks ? TICKED : STRIP) + 10 + wide(high) + 10;
  let line = 0;
  const at = scale.marks.map(({ colour, text }) => {
    const needed = MARK + wide(text);
    if (x > EDGE && x + needed > right) {
      x = EDGE;
      line = line ? line + 1 : colours.length ? below : 1;
    }
    const found = { x, line, colour, text };
    x += needed + 14;
    return found;
  });
  return { lines: Math.max(below, line + 1) + 0.5 * Number(!ticks || line >= below), at };
}

function drawMarks(context: CanvasRenderingContext2D, { at }: Marks, top: number, ink: string): void {
  for (const { x, line, colour, text } of at) {
    context.fillStyle = colour;
    context.fillRect(x, top + line * LINE + 4, 10, 10);
    context.fillStyle = ink;
    context.fillText(text, x + MARK, top + line * LINE + 13);
  }
}

function drawScale(context: CanvasRenderingContext2D, scale: Scale, top: number, ink: string): void {
  if (!scale.colours.length) return;
  const wide = scale.ticks ? TICKED : STRIP;
  context.fillStyle = ink;
  context.fillText(scale.low, EDGE, top + 13);
  const x = EDGE + context.measureText(scale.low).width + 10;
  const strip = context.createLinearGradient(x, 0, x + wide, 0);
  scale.colours.forEach((colour, place) => {
    strip.addColorStop(place / (scale.colours.length - 1), colour);
  });
  context.fillStyle = strip;
  context.fillRect(x, top + 4, wide, 9);
  context.fillStyle = ink;
  for (const { at, text } of scale.ticks ?? []) {
    const half = context.measureText(text).width / 2;
    context.fillText(text, Math.max(x, Math.min(x + wide - 2 * half, x + at * wide - half)), top + 26);
  }
  context.fillText(scale.high, x + wide + 10, top + 13);
}

/** Break a text into lines. */
function broken(context: CanvasRenderingContext2D, text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (context.measureText(longer).width <= width || !lines[lines.length - 1])
      lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Save drawings in two columns, each below its title. */
export function saveSvg(name: string, drawings: { title: string; svg: SVGElement }[]): void {
  const space = "http://www.w3.org/2000/svg";
  const sheet = document.createElementNS(space, "svg");
  const style = getComputedStyle(document.documentElement);
  const size = (svg: SVGElement, of: string) => Number(svg.getAttribute(of));
  const wide = EDGE + Math.max(0, ...drawings.map(({ svg }) => size(svg, "width"))) + 110;
  const high = EDGE + LINE + Math.max(0, ...drawings.map(({ svg }) => size(svg, "height")));
  const [columns, rows] = [Math.min(2, drawings.length), Math.ceil(drawings.length / 2)];
  sheet.setAttribute("width", String(columns * wide + EDGE));
  sheet.setAttribute("height", String(rows * high + EDGE));
  sheet.setAttribute("font-family", getComputedStyle(document.body).fontFamily);
  const paper = document.createElementNS(space, "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", style.getPropertyValue("--paper"));
  sheet.append(paper);
  drawings.forEach(({ title, svg }, place) => {
    const [x, y] = [EDGE + (place % 2) * wide, EDGE + Math.floor(place / 2) * high];
    const head = document.createElementNS(space, "text");
    head.textContent = title;
    head.setAttribute("x", String(x));
    head.setAttribute("y", String(y + 13));
    head.setAttribute("font-size", "12");
    head.setAttribute("font-weight", "600");
    head.setAttribute("fill", style.getPropertyValue("--ink"));
    const copy = svg.cloneNode(true) as SVGElement;
    copy.setAttribute("x", String(x));
    copy.setAttribute("y", String(y + LINE));
    sheet.append(head, copy);
  });
  save(`${name}.svg`, new Blob([new XMLSerializer().serializeToString(sheet)], { type: "image/svg+xml" }));
}
