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
  const seen: { readonly place: string; readonly bytes: Buffer }[] = [];
  return {
    add: (kind, ...added) => {
      for (const secret of added) secrets.get(kind)?.add(secret);
    },
    exercised: (kind, evidence) => used.set(kind, evidence && used.get(kind) !== false),
    saw: (place, text) => seen.push({ place, bytes: Buffer.from(text) }),
    neverExercised: () => CLASSES.filter((kind) => used.get(kind) !== true || secrets.get(kind)?.size === 0),
    shown: (kind) =>
      [...(secrets.get(kind) ?? [])].flatMap((secret) => {
        const spellings = spellingsOf(secret);
        return seen
          .filter(({ bytes }) => spellings.some((spelling) => bytes.includes(spelling)))
          .map(({ place, bytes }) => `${place}: ${secret.slice(0, 12)}… in ${around(bytes, spellings)}`);
      }),
  };
}

/** Text of a new secret, with characters that are written otherwise in URLs, JSON and base64. */
export function newSecret(name: string): string {
  return `canary ${name}+/"${randomBytes(18).toString("base64url")}" end`;
}

/** How a secret may be written in what the product says: plainly, escaped, or encoded, also within something longer. */
function spellingsOf(secret: string): readonly Buffer[] {
  const texts = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
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
