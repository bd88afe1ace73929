import { randomBytes } from "node:crypto";

/** Every class of secret that passes through the product. */
export const CLASSES = [
  "access token",
  "client assertion",
  "client secret",
  "private key",
  "Vault token",
  "API key",
  "cookie",
  "setup token",
  "sign-in link",
  "invitation link",
  "client id secret",
] as const;

export type SecretClass = (typeof CLASSES)[number];

/** Secrets of every class, what was done with them, and what the product said meanwhile. */
export interface Canaries {
  /** A secret that no other run has; it counts as exercised when the product took it for what it is. */
  add(kind: SecretClass, ...secrets: readonly string[]): void;
  /** Says that the product has used the class's secrets, by what it did. */
  exercised(kind: SecretClass, evidence: boolean): void;
  /** Something that the product wrote, where no secret belongs. */
  saw(place: string, text: string | Uint8Array): void;
  /** Classes of which there is no secret, or none that was used. */
  neverExercised(): readonly SecretClass[];
  /** Where secrets of the class show: `place: the beginning of the secret`. */
  shown(kind: SecretClass): readonly string[];
}

export function canaries(): Canaries {
  const secrets = new Map<SecretClass, Set<string>>(CLASSES.map((kind) => [kind, new Set()]));
  const used = new Map<SecretClass, boolean>();
  const seen: { readonly place: string; readonly readings: readonly Buffer[] }[] = [];
  return {
    add: (kind, ...added) => {
      for (const secret of added) secrets.get(kind)?.add(secret);
    },
    exercised: (kind, evidence) => used.set(kind, evidence && used.get(kind) !== false),
    saw: (place, text) => seen.push({ place, readings: readingsOf(Buffer.from(text)) }),
    neverExercised: () => CLASSES.filter((kind) => used.get(kind) !== true || secrets.get(kind)?.size === 0),
    shown: (kind) =>
      [...(secrets.get(kind) ?? [])].flatMap((secret) => {
        const spellings = spellingsOf(secret);
        return seen.flatMap(({ place, readings }) => {
          const bytes = readings.find((reading) => spellings.some((spelling) => reading.includes(spelling)));
          return bytes === undefined ? [] : [`${place}: ${secret.slice(0, 12)}… in ${around(bytes, spellings)}`];
        });
      }),
  };
}

/** Text of a new secret, with characters that are written otherwise in URLs, JSON and base64. */
export function newSecret(name: string): string {
  return `canary ${name}+/"${randomBytes(18).toString("base64url")}" end`;
}

/** The bytes as they are, and without the escapes of JSON and of URLs, of which a part of the characters may have one. */
function readingsOf(bytes: Buffer): readonly Buffer[] {
  const text = bytes.toString();
  const unescaped = text.replace(/\\(["\\/])/g, "$1");
  const decoded = unescaped.replace(/%[0-9a-f]{2}/gi, (octet) =>
    String.fromCharCode(Number.parseInt(octet.slice(1), 16)),
  );
  return [bytes, ...[unescaped, decoded].filter((reading) => reading !== text).map((reading) => Buffer.from(reading))];
}

/** How a secret may be written in them: as it is, in a form, or encoded, also within something longer. */
function spellingsOf(secret: string): readonly Buffer[] {
  const texts = [secret, secret.replaceAll(" ", "+")];
  const encoded = ["", "-", "--"].flatMap((before) =>
    (["base64", "base64url", "hex"] as const).map((encoding) => {
      // Without the groups at both ends, which depend on what is beside the secret.
      const text = Buffer.from(`${before}${secret}`).toString(encoding).replace(/=+$/, "");
      return text.slice(before === "" ? 0 : 4, -2);
    }),
  );
  return [...texts, ...encoded].map((spelling) => Buffer.from(spelling));
}

function around(bytes: Buffer, spellings: readonly Buffer[]): string {
  const at = Math.max(...spellings.map((spelling) => bytes.indexOf(spelling)));
  return JSON.stringify(bytes.subarray(Math.max(0, at - 80), at + 20).toString());
}
