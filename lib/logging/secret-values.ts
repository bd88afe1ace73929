import { utf8 } from "../kernel/encoding.ts";
import { REDACTED, type Redact, SHORTEST_SECRET } from "./redaction.ts";

/** The secrets that an instance knows: no log line shows one of them. */
export interface SecretValues {
  /** From now on. One of less than eight characters is left out. */
  readonly add: (secret: string) => void;
  /** Takes time linear in the text, however many secrets there are. */
  readonly redact: Redact;
}

/** Secrets that are renewed again and again take the places of those that were added, or added again, longest ago. */
const CAPACITY = 1_000;

export function secretValues(): SecretValues {
  const known = new Set<string>();
  let redact: Redact | undefined;
  return {
    add: (secret) => {
      if (secret.length < SHORTEST_SECRET) return;
      const isKnown = known.delete(secret);
      known.add(secret);
      if (isKnown) return;
      const [oldest] = known;
      if (known.size > CAPACITY && oldest !== undefined) known.delete(oldest);
      redact = undefined;
    },
    redact: (text) => {
      if (known.size === 0) return text;
      redact ??= replacing([...known].flatMap(spellingsOf));
      const safe = redact(text);
      return safe.includes("%") ? withoutEscapedSecrets(safe, redact) : safe;
    },
  };
}

/** A URL may have an escape for any of its characters: when a secret has some, the text is shown without all of them. */
function withoutEscapedSecrets(text: string, redact: Redact): string {
  const plain = withoutUrlEscapes(text);
  const safe = redact(plain);
  return safe === plain ? text : safe;
}

/** Characters by which the texts that may stand at a place are found. */
const START = 4;

/**
 * Replaces each of the texts wherever it stands. A table of the hashes of all beginnings tells at nearly every character
 * that none begins there; a hash forgets each character after `START` further ones.
 */
function replacing(texts: readonly string[]): Redact {
  const hashes = new Uint8Array(1 << 16);
  const byStart = new Map<string, string[]>();
  for (const text of texts.filter(({ length }) => length >= SHORTEST_SECRET)) {
    const start = text.slice(0, START);
    hashes[hashOf(start)] = 1;
    byStart.set(start, [...(byStart.get(start) ?? []), text]);
  }
  for (const candidates of byStart.values()) candidates.sort((a, b) => b.length - a.length);

  return (text) => {
    let safe = "";
    let copied = 0;
    let hash = 0;
    for (let i = 0; i < text.length; i++) {
      hash = nextHash(hash, text.charCodeAt(i));
      const start = i + 1 - START;
      if (hashes[hash] === 0 || start < copied) continue;
      const found = byStart.get(text.slice(start, i + 1))?.find((candidate) => text.startsWith(candidate, start));
      if (found === undefined) continue;
      safe += text.slice(copied, start) + REDACTED;
      copied = start + found.length;
      i = copied - 1;
      hash = 0;
    }
    return copied === 0 ? text : safe + text.slice(copied);
  };
}

function hashOf(start: string): number {
  let hash = 0;
  for (let i = 0; i < start.length; i++) hash = nextHash(hash, start.charCodeAt(i));
  return hash;
}

function nextHash(hash: number, character: number): number {
  return ((hash << (16 / START)) ^ character) & 0xffff;
}

/**
 * How a secret may stand in a text whose URL escapes are decoded: as it is, line by line when it has several, in a form, in
 * JSON, and as base64 or base64url, also somewhere within a longer text that was encoded.
 */
export function spellingsOf(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const texts = lines.length === 1 ? [secret] : [secret, ...lines];
  return [...new Set(texts.flatMap((text) => [text, ...escaped(text), ...encoded(text)]))];
}

/** Without URL escapes; what is no well-formed one stays. */
export function withoutUrlEscapes(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

function escaped(text: string): readonly string[] {
  return [text.replaceAll(" ", "+"), JSON.stringify(text).slice(1, -1)];
}

/** What of the encoded text depends on nothing before and after it, for each of the three places it may begin at. */
function encoded(text: string): readonly string[] {
  const bytes = [...utf8(text)];
  return [0, 1, 2].flatMap((before) => {
    const group = [...Array<number>(before).fill(0), ...bytes];
    const base64 = btoa(String.fromCharCode(...group));
    const inner = base64.slice(Math.ceil((before * 8) / 6), Math.floor((group.length * 8) / 6));
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
