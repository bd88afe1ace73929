/** The same for every name of an organization; the API says the rest. */
export function nameRule(name: string): string | null {
  return name.trim() === "" ? "Enter a name." : null;
}
