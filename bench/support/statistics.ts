/** The smallest value that the given share of values does not exceed. */
export function percentile(values: Float64Array, share: number): number {
  const sorted = values.toSorted();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(Float64Array.from(values), 0.5);
}

/** `1,234` */
export function whole(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** `12.3 ms` */
export function milliseconds(value: number, digits = 1): string {
  return `${value.toFixed(digits)} ms`;
}

/** `1.25 ×` */
export function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}
