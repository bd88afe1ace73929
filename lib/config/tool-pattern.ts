/**
 * The test behind a tool's name in the configuration: the exact local name, or an anchored regular expression between
 * slashes.
 */
export function toolPattern(name: string): (localName: string) => boolean {
  if (!(name.length > 2 && name.startsWith("/") && name.endsWith("/"))) return (localName) => localName === name;
  const expression = new RegExp(`^(?:${name.slice(1, -1)})$`);
  return (localName) => expression.test(localName);
}

/** Finds the first entry that names a tool. A catalog has a thousand tools, so each pattern is made ready once for all of them. */
export function firstNaming<T>(
  entries: readonly T[],
  namesOf: (entry: T) => readonly string[],
): (localName: string) => T | undefined {
  const prepared = entries.map((entry) => ({ entry, patterns: namesOf(entry).map(toolPattern) }));
  return (localName) => prepared.find(({ patterns }) => patterns.some((matches) => matches(localName)))?.entry;
}
