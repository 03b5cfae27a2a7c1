/** A rotated view of a square of cells, from above; maps points in space to the screen. */

/** Rotated by angles in radians; 0 tilt is from the side. */
export interface Camera {
  turn: number;
  tilt: number;
  zoom: number;
}

export type Point = [x: number, y: number];

/** Height of the highest step, as a fraction of the width of the square. */
const TALL = 0.42;

export class Projection {
  private readonly sine: number;
  private readonly cosine: number;
  private readonly scale: number;

  constructor(
    readonly camera: Camera,
    readonly cells: number,
    private readonly width: number,
    private readonly height: number,
  ) {
    this.sine = Math.sin(camera.turn);
    this.cosine = Math.cos(camera.turn);
    this.scale = (camera.zoom * Math.min(width * 0.62, height * 0.72)) / 1;
  }

  /** Whether larger columns, or rows, are nearer to the eye. */
  get near(): [columns: boolean, rows: boolean] {
    return [this.sine > 0, this.cosine > 0];
  }

  /** A corner of cells, and a height from 0 to 1. */
  at(column: number, row: number, height: number): Point {
    const [u, v] = [column / this.cells - 0.5, row / this.cells - 0.5];
    const across = u * this.cosine - v * this.sine;
    const deep = u * this.sine + v * this.cosine;
    const { tilt } = this.camera;
    return [
      this.width / 2 + across * this.scale,
      this.height * 0.56 + (deep * Math.sin(tilt) - height * TALL * Math.cos(tilt)) * this.scale,
    ];
  }
}
