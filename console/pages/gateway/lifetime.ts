const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const;

/** Seconds as people say them: "60 s", "5 min", "90 s", "1 h". */
export function lifetime(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds % length === 0 && seconds > length) ?? ["s", 1];
  return `${(seconds / size).toLocaleString(undefined, { maximumFractionDigits: 3 })} ${unit}`;
}
