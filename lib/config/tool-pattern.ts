/**
 * The test behind a tool's name in the configuration: the exact local name, or an anchored regular expression between
 * slashes.
 */
export function toolPattern(name: string): (localName: string) => boolean {
  if (!(name.length > 2 && name.startsWith("/") && name.endsWith("/"))) return (localName) => localName === name;
  const expression = new RegExp(`^(?:${name.slice(1, -1)})$`);
  return (localName) => expression.test(localName);
}
