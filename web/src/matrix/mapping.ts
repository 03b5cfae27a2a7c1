/** Files with a place for each rank: the output of `rankwise map -o`, rankfiles, lists of hosts. */

export interface Mapping {
  /** Of the file. */
  name: string;
  hosts: string[];
  /** Index into hosts of each rank. */
  hostOf: Uint32Array;
  /** Ranks by their places: host by host, and in each by package and core. */
  order: Uint32Array;
}

interface Seat {
  rank: number;
  host: string;
  /** The place in the host. */
  within: number[];
}

/** Read one; an Error contains the reason if it is invalid. */
export function mappingOf(name: string, text: string, ranks: number): Mapping {
  const seats = text.trim().startsWith("[") ? fromJson(text) : fromLines(text);
  const hosts: string[] = [];
  const numbers = new Map<string, number>();
  const hostOf = new Uint32Array(ranks);
  const within: number[][] = [];
  let found = 0;
  for (const seat of seats) {
    if (!(seat.rank >= 0 && seat.rank < ranks))
      throw new Error(`it places rank ${seat.rank}, but the ranks here are 0 to ${ranks - 1}`);
    if (seat.rank in within) throw new Error(`it places rank ${seat.rank} twice`);
    let host = numbers.get(seat.host);
    if (host === undefined) {
      host = hosts.push(seat.host) - 1;
      numbers.set(seat.host, host);
    }
    hostOf[seat.rank] = host;
    within[seat.rank] = seat.within;
    found++;
  }
  if (found < ranks) throw new Error(`it places ${found} of ${ranks} ranks`);
  const byName = hosts.map((_, host) => host);
  byName.sort((one, other) => hosts[one].localeCompare(hosts[other], "en", { numeric: true }));
  const placeOf = new Uint32Array(hosts.length);
  byName.forEach((host, place) => (placeOf[host] = place));
  const order = Uint32Array.from({ length: ranks }, (_, rank) => rank).sort(
    (one, other) =>
      placeOf[hostOf[one]] - placeOf[hostOf[other]] || compared(within[one], within[other]) || one - other,
  );
  return {
    name,
    hosts: byName.map((host) => hosts[host]),
    hostOf: hostOf.map((host) => placeOf[host]),
    order,
  };
}

function compared(one: number[], other: number[]): number {
  for (let at = 0; at < Math.min(one.length, other.length); at++)
    if (one[at] !== other[at]) return one[at] - other[at];
  return 0;
}

/** placement.json: a list of objects with rank, host, package, core. */
function fromJson(text: string): Seat[] {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Error("it is not JSON");
  }
  if (!Array.isArray(given)) throw new Error("it is not a list");
  return given.map((row: unknown, line) => {
    const { rank, host, package: socket, core } = (row ?? {}) as Record<string, unknown>;
    if (typeof rank !== "number" || typeof host !== "string")
      throw new Error(`its entry ${line + 1} has no rank and host`);
    return { rank, host, within: [socket, core].map((place) => (typeof place === "number" ? place : -1)) };
  });
}

/** `rank 0=HOST slot=0:3`, or placement.csv, or `HOST`, `HOST RANKS` in the order of the ranks. */
function fromLines(text: string): Seat[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*/, "").trim())
    .filter(Boolean);
  const seats: Seat[] = [];
  if (lines.at(0)?.startsWith("rank,host")) {
    for (const line of lines.slice(1)) {
      const [rank, host, socket, core] = line.split(",");
      seats.push({ rank: wholeOf(rank), host, within: [socket, core].map((place) => Number(place || -1)) });
    }
    return seats;
  }
  for (const line of lines) {
    const given = /^rank\s+(\d+)\s*=\s*(\S+)(?:\s+slots?\s*=\s*(\S+))?/i.exec(line);
    if (given) {
      const within = (given.at(3) ?? "").split(/[^0-9]+/).map(Number);
      seats.push({ rank: Number(given[1]), host: given[2], within });
      continue;
    }
    const [host, count = ""] = line.split(/\s+/);
    const several = /^(?:slots=|max_slots=)?(\d+)$/i.exec(count)?.[1] ?? "1";
    const first = seats.length;
    for (let one = 0; one < Math.min(Number(several), 1 << 24); one++)
      seats.push({ rank: first + one, host, within: [] });
  }
  return seats;
}

function wholeOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : -1;
}
