/**
 * Whether what was read from text is what was sent. Text does not tell apart: a number and its digits, one entry and a list
 * of one, and null, a list and an object without values from nothing at all.
 */
export function sameText(sent: unknown, read: unknown): boolean {
  if (isNothing(sent)) return isNothing(read) || read === "";
  if (Array.isArray(sent)) {
    const given = sent.filter((entry) => entry !== null);
    const entries = Array.isArray(read) ? read : [read];
    return entries.length === given.length && given.every((entry, index) => sameText(entry, entries[index]));
  }
  if (typeof sent === "object") {
    if (typeof read !== "object" || read === null) return false;
    const names = new Set([...Object.keys(sent as Values), ...Object.keys(read)]);
    return [...names].every((name) => sameText((sent as Values)[name], (read as Values)[name]));
  }
  if (Array.isArray(read)) return read.length === 1 && sameText(sent, read[0]);
  if (typeof read === "object" && read !== null) return false;
  return String(sent) === String(read) || (typeof sent === "number" && Number(read) === sent);
}

type Values = Readonly<Record<string, unknown>>;

/** Also lists and objects without values in them. */
export function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.values(value).every(isNothing);
}
