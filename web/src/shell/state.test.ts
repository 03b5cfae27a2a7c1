import { expect, test } from "vitest";
import { EVERYTHING, fromAddress, toAddress } from "./state.ts";

test("an address gives back what it was made from", () => {
  const state = {
    page: "calls",
    run: "a&b.rankwise",
    filter: { ...EVERYTHING, communicator: "W a1", sizeFrom: "1-2 KiB", ranks: "0-3,8", site: "lib+0x30" },
    options: new Map([["measure", "bytes sent"]]),
  };
  const address = toAddress(state);
  expect(address).toContain("sizeFrom=1-2+KiB");
  expect(fromAddress(`#${address}`)).toEqual(state);
});

test("nothing chosen is no address, and keys of no filter are options", () => {
  expect(toAddress(fromAddress(""))).toBe("");
  const state = fromAddress("#page=nix&more=%00&call=Barrier");
  expect(state.page).toBe("nix");
  expect(state.filter).toEqual(EVERYTHING);
  expect([...state.options]).toEqual([
    ["more", "\0"],
    ["call", "Barrier"],
  ]);
});
