const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The milliseconds since the epoch that a ULID starts with; undefined when the text is no ULID of ours. */
export function ulidTime(id: string): number | undefined {
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)) return undefined;
  let time = 0;
  for (const digit of id.slice(0, 10)) time = time * 32 + CROCKFORD.indexOf(digit);
  return time;
}
