/**
 * Which of these texts are somewhere in the bytes: as they are, in hex, or in base64 and base64url, alone or as a part of something
 * longer that was encoded. They need at least 8 characters.
 */
export function secretsIn(bytes: Buffer, secrets: Iterable<string>): readonly string[] {
  const byStart = new Map<number, { readonly spelling: Buffer; readonly secret: string }[]>();
  for (const secret of secrets) {
    for (const spelling of spellingsOf(secret).map((text) => Buffer.from(text))) {
      const start = spelling.readUInt32LE(0);
      byStart.set(start, [...(byStart.get(start) ?? []), { spelling, secret }]);
    }
  }
  const found = new Set<string>();
  for (let at = 0; at + 4 <= bytes.length; at++) {
    for (const { spelling, secret } of byStart.get(bytes.readUInt32LE(at)) ?? []) {
      if (bytes.subarray(at, at + spelling.length).equals(spelling)) found.add(secret);
    }
  }
  return [...found];
}

/** How a text may be written down, without what depends on its neighbours. */
export function spellingsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].map((before) => base64Within(bytes, before));
  const base64url = base64.map((spelling) => spelling.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([text, hex, hex.toUpperCase(), ...base64, ...base64url])];
}

/** The characters that the bytes alone make, where so many others stand before them in their group of three. */
function base64Within(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  const first = Math.ceil((before * 8) / 6);
  const end = Math.floor(((before + bytes.length) * 8) / 6);
  return encoded.slice(first, end);
}
