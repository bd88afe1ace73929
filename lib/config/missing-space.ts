/** What `key:value` lacks, which is one text to YAML: a question where a known key is in front of the colon. */
export function missingSpace(text: string, known: readonly string[]): string | undefined {
  const key = text.slice(0, Math.max(0, text.indexOf(":")));
  return known.includes(key) ? `is a space missing after "${key}:"?` : undefined;
}
