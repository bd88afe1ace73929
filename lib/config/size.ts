/** Bytes of each unit. */
export const SIZES: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1_000,
  MB: 1_000_000,
  GB: 1_000_000_000,
  KiB: 1_024,
  MiB: 1_048_576,
  GiB: 1_073_741_824,
};

/** Bytes of a size such as `512KiB` or `100MB`; undefined when the text is none. A bare number is refused, as for durations. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,13})([A-Za-z]+)$/.exec(text) ?? [];
  if (digits === undefined || !Object.hasOwn(SIZES, unit)) return undefined;
  const bytes = Number(digits) * (SIZES[unit] as number);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
