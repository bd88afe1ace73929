/** Characters that the end of an output spends on one failure. */
const SHOWN = 2_000;

/** A failure that is told once more in front of the closing line, cut short: of a long output often only the end is kept. */
export function atTheEnd(failure: string): string {
  return failure.length > SHOWN ? `${failure.slice(0, SHOWN)}… (${failure.length} characters)` : failure;
}
