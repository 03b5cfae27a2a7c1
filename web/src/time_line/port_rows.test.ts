import { expect, test } from "vitest";
import type { RunData } from "../contract.ts";
import type { Selection } from "../shell/selection.ts";
import type { PortLines, TimeLineData } from "./contract.ts";
import { blockedText, portRows, portsTitle } from "./port_rows.ts";

/** Two of three nodes have samples; the last one has none in the first interval, and was blocked in the second. */
const PORTS: PortLines = {
  host: Uint8Array.of(0, 2),
  sent: Float32Array.of(0.1, 3, NaN, 2048),
  received: Float32Array.of(0.2, 1, NaN, 1024),
  blocked: Uint8Array.of(255, 19, 255, 20),
  much: 20,
  others: 0,
};
const DATA = { begin: -0.5, width: 2, count: 2 } as unknown as TimeLineData;
const RUN = {
  axes: { hosts: ["a", "b", "c"], hostOf: Uint8Array.of(0, 0, 1, 2) },
} as unknown as RunData;

function chosen(...ranks: number[]): Selection {
  return {
    ranks: Uint8Array.from({ length: 4 }, (_, rank) => Number(ranks.includes(rank))),
  } as unknown as Selection;
}

test("both directions are added up; means are over the nodes that have samples", () => {
  const rows = portRows(RUN, DATA, PORTS, chosen(0, 1, 2, 3));
  expect(rows.rows).toEqual([0, 1]);
  expect([...rows.values]).toEqual([Math.fround(0.3), 4, NaN, 3072]);
  expect([...rows.overRows]).toEqual([Math.fround(0.3), (4 + 3072) / 2]);
  expect([...rows.overTime]).toEqual([(Math.fround(0.3) + 4) / 2, 3072]);
  expect(rows.most).toBe(3072);
});

test("cells are marked from the limit on, and not if it is not known", () => {
  expect([...portRows(RUN, DATA, PORTS, chosen(0, 3)).blocked]).toEqual([0, 0, 0, 1]);
});

test("a node is there with any of its ranks", () => {
  expect(portRows(RUN, DATA, PORTS, chosen(1)).rows).toEqual([0]);
  expect(portRows(RUN, DATA, PORTS, chosen(2)).rows).toEqual([]);
});

test.each([
  [
    [0, 1, 2, 3],
    "The network ports of c moved most: 3.00 KiB/s, from 1.50 s to 3.50 s; at 1 node, ports were blocked",
  ],
  [[0], "The network ports of a moved most: 4 B/s, from 1.50 s to 3.50 s"],
  [[2], "The network ports of the selected nodes moved nothing"],
])("title for ranks %j", (ranks, title) => {
  expect(portsTitle(RUN, DATA, PORTS, portRows(RUN, DATA, PORTS, chosen(...ranks)))).toBe(title);
});

test("the largest cell is found although its sum has more digits than it keeps", () => {
  const ports = {
    ...PORTS,
    sent: Float32Array.of(0.1, 0.1, NaN, NaN),
    received: Float32Array.of(0.2, 0.3, NaN, NaN),
  };
  expect(portsTitle(RUN, DATA, ports, portRows(RUN, DATA, ports, chosen(0)))).toMatch(
    /ports of a .* from 1.50 s/,
  );
});

test("blocked time in words", () => {
  expect([blockedText(255), blockedText(20)]).toEqual(["not known", "20.0 %"]);
});
