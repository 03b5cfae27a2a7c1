/** The order of rows by the values of a column. */

/** null = unknown. */
export type Value = number | string | null;

/** Places of the values in order; equal ones stay as they are, and unknown ones are last. */
export function inOrder(values: readonly Value[], descending: boolean): number[] {
  const sign = descending ? -1 : 1;
  return values
    .map((_, place) => place)
    .sort((one, other) => {
      const [a, b] = [values[one], values[other]];
      if (a === null || b === null) return Number(a === null) - Number(b === null) || one - other;
      if (typeof a === "number" && typeof b === "number") return sign * (a - b) || one - other;
      return sign * String(a).localeCompare(String(b)) || one - other;
    });
}
