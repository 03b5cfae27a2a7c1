import { expect, test } from "vitest";
import type { Shape } from "./contract.ts";
import { boxesOf, GAP, placed, type Placed } from "./layout.ts";

function shape(change: Partial<Shape>): Shape {
  const zeros = Int32Array.of(0, 0, 0, 0);
  const core = Int32Array.of(0, 1, 2, 3);
  return { processor: core, core, package: zeros, numa: zeros, l3: zeros, devices: [], ...change } as Shape;
}

test("levels that tell nothing apart are one box", () => {
  const [only, ...more] = boxesOf(shape({}));
  expect(more).toEqual([]);
  expect(only).toMatchObject({ label: "package 0", depth: 0, cores: [0, 1, 2, 3] });
});

test("domains of memory are in their packages, with the devices near them", () => {
  const devices = [{ kind: "network", name: "mlx5_0", numa: 1 }] as Shape["devices"];
  const half = Int32Array.of(0, 0, 1, 1);
  const [whole] = boxesOf(shape({ numa: half, l3: half, devices }));
  expect(whole.boxes.map(({ label, cores }) => [label, cores])).toEqual([
    ["NUMA 0", [0, 1]],
    ["NUMA 1 · mlx5_0", [2, 3]],
  ]);
});

test("boxes stand in lines of equal length, and nothing hangs out of them", () => {
  const boxes = Array.from({ length: 5 }, () => ({ label: "", depth: 0, boxes: [], cores: [0, 1] }));
  const found = placed(boxes, 250, { width: 40, height: 20 });
  expect(new Set(found.map(({ y }) => y)).size).toBeGreaterThan(1);
  const inside = ({ x, width, cores }: Placed) => {
    for (const core of cores) expect(core.x + 40).toBeLessThanOrEqual(width);
    expect(x + width).toBeLessThanOrEqual(250);
    expect(cores[1].x - cores[0].x).toBe(40 + GAP);
  };
  found.forEach(inside);
});
