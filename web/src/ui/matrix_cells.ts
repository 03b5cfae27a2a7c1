/** The cells of a matrix as pixels, and their colours. */
import type { ZoomTransform } from "d3-zoom";
import { HOT, packed, parts, stepOf, type Theme } from "./colours.ts";
import { type Layer, layerFor } from "./layers.ts";
import type { MatrixData } from "./matrix_data.ts";
import type { SparsePixels } from "./sparse.ts";

/** Where cells are painted, and from which data. */
interface Ways {
  /** Pixels of all cells without zoom. */
  box: { left: number; top: number; width: number; height: number };
  transform: ZoomTransform;
  /** Dots a pixel. */
  scale: number;
  layers: Layer[];
  /** If most cells are empty. */
  sparse: SparsePixels | null;
}

/** Fill the pixels; if a pixel has several cells it shows the largest. */
export function paintCells(
  context: CanvasRenderingContext2D,
  data: MatrixData,
  theme: Theme,
  { box, transform, scale, layers, sparse }: Ways,
): void {
  const width = Math.round(box.width * scale);
  const height = Math.round(box.height * scale);
  const left = Math.round(box.left * scale);
  const top = Math.round(box.top * scale);
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  if (sparse) {
    const x = (column: number) => transform.applyX(box.left + (column / data.columns) * box.width);
    const y = (row: number) => transform.applyY(box.top + (row / data.rows) * box.height);
    const across = {
      offset: x(0) * scale - left,
      pitch: (x(1) - x(0)) * scale,
      pixels: width,
    };
    const down = {
      offset: y(0) * scale - top,
      pitch: (y(1) - y(0)) * scale,
      pixels: height,
    };
    sparse.paint(pixels, across, down, packed(parts(theme.ground)));
    context.putImageData(image, left, top);
    return;
  }
  const colours = coloursOf(data, theme);
  const fine = transform.k * scale;
  const layer = layerFor(
    layers,
    Math.min(data.columns / (box.width * fine), data.rows / (box.height * fine)),
  );
  const columns = spans(
    width,
    data.columns / layer.block,
    (pixel) => (transform.invertX((left + pixel) / scale) - box.left) / box.width,
  );
  const rows = spans(
    height,
    data.rows / layer.block,
    (pixel) => (transform.invertY((top + pixel) / scale) - box.top) / box.height,
  );
  for (let y = 0; y < height; y++) {
    if (y && rows[2 * y] === rows[2 * y - 2] && rows[2 * y + 1] === rows[2 * y - 1]) {
      pixels.copyWithin(y * width, (y - 1) * width, y * width);
      continue;
    }
    for (let x = 0; x < width; x++) {
      let best = -1;
      let most = -Infinity;
      for (let row = rows[2 * y]; row < rows[2 * y + 1]; row++)
        for (let column = columns[2 * x]; column < columns[2 * x + 1]; column++) {
          const cell = row * layer.columns + column;
          const weight = layer.weights[cell];
          if (weight > most) {
            best = cell;
            most = weight;
          }
        }
      if (best >= 0) pixels[y * width + x] = colours(layer.cells ? layer.cells[best] : best);
    }
  }
  context.putImageData(image, left, top);
}

/** Return the sort key of cells: highlighted ones come first. */
export function weightsOf({ values, lit }: MatrixData): Float32Array {
  return lit ? lit.map((part, cell) => part + 1e-9 * values[cell]) : values;
}

/** Return the first cell of each pixel and the cell after the last; the last cell may be there only in part. */
function spans(pixels: number, cells: number, share: (pixel: number) => number): Int32Array {
  const found = new Int32Array(2 * pixels);
  const end = Math.ceil(cells - 1e-6);
  for (let pixel = 0; pixel < pixels; pixel++) {
    const first = Math.max(0, Math.min(end - 1, Math.floor(share(pixel) * cells + 1e-6)));
    const to = share(pixel + 1) * cells + 1e-6;
    const after = to >= cells ? end : Math.floor(to);
    found[2 * pixel] = first;
    found[2 * pixel + 1] = Math.max(first + 1, after);
  }
  return found;
}

/** Return a function that gives the pixel of a cell, in the memory format of a canvas. */
export function coloursOf(data: MatrixData, theme: Theme): (cell: number) => number {
  if (data.colour) return data.colour;
  const ramp = theme.ramp3.map(packed);
  const [unlit, ground, hot] = [theme.unlit, theme.ground, HOT].map((colour) => packed(parts(colour)));
  return (cell) => {
    const value = data.values[cell];
    if (Number.isNaN(value)) return 0;
    if (value <= 0) return ground;
    if (data.lit)
      return data.lit[cell] > 0 ? ramp[stepOf(data.lit[cell], data.most, data.logarithmic)] : unlit;
    return data.hot?.[cell] ? hot : ramp[stepOf(value, data.most, data.logarithmic)];
  };
}
