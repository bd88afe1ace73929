/** The sum of one number over all intervals. */
export function total<Name extends string>(intervals: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return intervals.reduce((sum, interval) => sum + interval[name], 0);
}
