const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

/**
 * Milliseconds of a duration such as `250ms`, `30s` or `1h30m`; undefined when the text is none. Fractions below a
 * millisecond are rounded. Signs, spaces and bare numbers are refused: a missing unit is a mistake more often than zero.
 */
export function parseDuration(text: string): number | undefined {
  if (text.length > 64 || !DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (UNITS[unit as string] as number);
  return Number.isSafeInteger(Math.round(total)) ? Math.round(total) : undefined;
}
