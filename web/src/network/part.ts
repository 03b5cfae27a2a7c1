/** The part of the traffic that the filters of all pages choose. */
import type { Selection } from "../shell/selection.ts";
import type { NetworkData } from "./contract.ts";

export interface Part {
  /** 1: a chosen group of traffic. */
  groups: Uint8Array;
  /** The chosen groups in words; '' = all. */
  name: string;
  /** 1: a rank whose traffic is highlighted; null: none is. */
  ranks: Uint8Array | null;
  ranksName: string;
  /** The filters' choices that this page can't distinguish: a sentence. */
  ignored: string;
}

export function partOf(data: NetworkData, { run, filter, ranks }: Selection): Part {
  const { communicators, families, familyOf, procedures, groups } = data;
  const { communicator, procedure, region, node } = filter;
  const ignored: string[] = [];
  const mask = Uint8Array.from(communicators.name, (name, one) =>
    Number(!communicator || name === communicator || families[familyOf[one]] === communicator),
  );
  const place = run.axes.communicators.name.indexOf(communicator);
  const family = families.indexOf(run.axes.communicators.family[place]);
  // The smallest ones are merged with others of their family: those have no name.
  const others = communicators.name.findIndex((name, one) => !name && familyOf[one] === family);
  if (communicator && !mask.includes(1) && others >= 0) {
    mask[others] = 1;
    ignored.push(
      `${communicator} sends little: this page shows it together with the ${communicators.label[others]}.`,
    );
  }
  if (filter.sizeFrom || filter.sizeTo || region || filter.site)
    ignored.push("Sizes, regions and call sites of messages are unknown here: all messages are shown.");
  const of = Uint8Array.from(groups.communicator, (one: number, group) =>
    Number(mask[one] && (!procedure || procedures[groups.procedure[group]] === procedure)),
  );
  const narrowed = filter.ranks || node;
  const ranksName = [filter.ranks ? `ranks ${filter.ranks}` : "", node ? `node ${node}` : ""];
  return {
    groups: of,
    name: [procedure, communicator].filter(Boolean).join(" of "),
    ranks: narrowed ? ranks : null,
    ranksName: `from or to ${ranksName.filter(Boolean).join(" on ")}`,
    ignored: ignored.join(" "),
  };
}
