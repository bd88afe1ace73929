/** What a form says about a name that is missing. */
export function needsName(name: string): string | null {
  return name.trim() === "" ? "Give the API client a name." : null;
}
