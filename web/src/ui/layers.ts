/**
 * A matrix in ever coarser layers, so that a pixel with thousands of cells needs to look at a few only. Each cell of a
 * layer is the worst of the cells below it: the cell with the largest weight.
 */

export interface Layer {
  rows: number;
  columns: number;
  /** Rows, and columns, of the matrix in one cell of the layer. */
  block: number;
  /** Row by row; NaN: there is nothing. */
  weights: Float32Array;
  /** The matrix cell that each weight belongs to; null: the cells of the layer are the matrix cells. */
  cells: Int32Array | null;
}

/** Smaller ones are used directly. */
const FEW = 1 << 19;

export function layersOf(weights: Float32Array, rows: number, columns: number): Layer[] {
  const layers: Layer[] = [{ rows, columns, block: 1, weights, cells: null }];
  for (let top = layers[0]; top.rows * top.columns > FEW; top = layers[layers.length - 1])
    layers.push(halved(top));
  return layers;
}

function halved(fine: Layer): Layer {
  const [rows, columns] = [Math.ceil(fine.rows / 2), Math.ceil(fine.columns / 2)];
  const weights = new Float32Array(rows * columns).fill(NaN);
  const cells = new Int32Array(rows * columns);
  for (let row = 0; row < fine.rows; row++) {
    const start = (row >> 1) * columns;
    for (let column = 0; column < fine.columns; column++) {
      const cell = row * fine.columns + column;
      const weight = fine.weights[cell];
      const at = start + (column >> 1);
      if (weight > weights[at] || (Number.isNaN(weights[at]) && !Number.isNaN(weight))) {
        weights[at] = weight;
        cells[at] = fine.cells ? fine.cells[cell] : cell;
      }
    }
  }
  return { rows, columns, block: 2 * fine.block, weights, cells };
}

/** Return the coarsest layer in which a pixel still has a cell or more in both directions. */
export function layerFor(layers: readonly Layer[], cellsOfPixel: number): Layer {
  return layers.findLast((layer) => layer.block <= cellsOfPixel) ?? layers[0];
}
