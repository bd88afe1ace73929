import { pemLines, secretLooks } from "../support/secret-looks.ts";

/** What must not be written anywhere, and by which name it may be spoken of. */
export interface Secrets {
  token(text: string): void;
  assertion(text: string): void;
  /** PKCS#8 PEM. */
  privateKey(pem: string): void;
  /** Anything else, such as the value of a cookie. */
  add(kind: string, text: string): void;
  /** Says for each line that holds a secret which one, and never shows it. */
  leaksIn(source: string, lines: readonly string[]): readonly string[];
}

export function secretsToFind(): Secrets {
  /** Found as whole runs of base64url characters: there are tens of thousands. */
  const words = new Map<string, string>();
  /** Found anywhere in a line. */
  const texts = new Map<string, string>();
  return {
    token: (text) => words.set(text, "an access token"),
    assertion: (text) => {
      const [, , signature = text] = text.split(".");
      words.set(signature, "the signature of an assertion");
    },
    privateKey: (pem) => {
      for (const line of pemLines(pem)) texts.set(line, "a private key");
    },
    add: (kind, text) => texts.set(text, kind),
    leaksIn: (source, lines) =>
      lines.flatMap((line, index) =>
        leaksOf(line, words, texts).map((kind) => `${source}, line ${index + 1}: ${kind}`),
      ),
  };
}

function leaksOf(
  line: string,
  words: ReadonlyMap<string, string>,
  texts: ReadonlyMap<string, string>,
): readonly string[] {
  const found = new Set<string>();
  for (const [word] of line.matchAll(WORD)) {
    const kind = words.get(word);
    if (kind !== undefined) found.add(kind);
  }
  for (const [text, kind] of texts) if (line.includes(text)) found.add(kind);
  return [...found, ...secretLooks(line)];
}

/** Long enough for everything that is looked up. */
const WORD = /[\w-]{43,}/g;
