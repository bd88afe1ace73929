import * as z from "zod";
import { parseEmail } from "../../kernel/email-address.ts";
import { parseJsonObject } from "../../kernel/json.ts";
import { standardPem } from "../../kernel/pem.ts";
import { parseDuration } from "../duration.ts";
import { parseSize } from "../size.ts";

// The `error` text of every leaf says what is accepted; lib/config/validate.ts puts what was found in front of it.

/** Timers count milliseconds in 31 bits and do not wait at all for more. */
export const LONGEST_TIMER = 2_147_483_647;

/** Text that is not empty and holds no control characters. */
export function text(accepted = "text that is not empty") {
  const clean = (value: string) => ![...value].some((character) => character < " " || character === "\u007f");
  // In one step, as each step of a schema is a copy, which every start of an instance pays for.
  return z
    .string({ error: accepted })
    .check(
      z.minLength(1, { error: accepted }),
      z.maxLength(4_096, { error: accepted }),
      z.refine(clean, { error: `${accepted}, without control characters` }),
    );
}

/** Marks a part of the document as secret: no message shows a value at or below it (`redaction.ts`). */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ secret: true });
}

export function flag() {
  return z.boolean({ error: "true or false" });
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: values.join(", ") });
}

export function integer(minimum: number, maximum: number, accepted = `a whole number from ${minimum} to ${maximum}`) {
  return z.int({ error: accepted }).check(z.gte(minimum, { error: accepted }), z.lte(maximum, { error: accepted }));
}

/** A share, 0 to 1. */
export function fraction() {
  const accepted = "a number from 0 to 1";
  return z.number({ error: accepted }).min(0, { error: accepted }).max(1, { error: accepted });
}

/** A duration in milliseconds, zero or more. */
export function duration() {
  return durationOf("a duration such as 250ms, 30s, 15m or 1h30m", () => true);
}

/** A duration in milliseconds, above zero. */
export function positiveDuration() {
  return durationOf("a positive duration such as 250ms, 30s, 15m or 1h30m", (milliseconds) => milliseconds > 0);
}

/** A positive duration in milliseconds that a timer can wait for. */
export function timerInterval() {
  const accepted = "a positive duration such as 250ms, 30s, 15m or 1h30m, at most 24 days";
  return durationOf(accepted, (milliseconds) => milliseconds > 0 && milliseconds <= LONGEST_TIMER);
}

/** The largest size: what is longer has no declared length that every runtime can hold. */
const LARGEST_SIZE = 1_000_000_000_000;

/** A size in bytes, above zero. */
export function size() {
  const accepted = "a positive size such as 512KB, 100MB or 5GiB, at most 1000GB";
  return z.string({ error: accepted }).transform((value, context) => {
    const bytes = parseSize(value);
    if (bytes !== undefined && bytes > 0 && bytes <= LARGEST_SIZE) return bytes;
    context.addIssue({ code: "custom", message: accepted });
    return z.NEVER;
  });
}

/** Milliseconds above zero that a timer can wait for. */
export function milliseconds() {
  const accepted = `a positive whole number of milliseconds, at most ${LONGEST_TIMER}`;
  return z.int({ error: accepted }).min(1, { error: accepted }).max(LONGEST_TIMER, { error: accepted });
}

/** The path of a PEM file. */
export function file() {
  return text("the path of a PEM file");
}

/**
 * A private key as PEM text or as a JWK, a mapping from here on: whoever keeps a JWK as a secret can have it as JSON text
 * only.
 */
export function privateKeyOrJwk() {
  const accepted =
    "a private key as PEM text (PKCS #8, PKCS #1 or SEC 1, without passphrase) or as a JWK; `openssl pkcs8 -topk8 -nocrypt -in FILE` writes one";
  const member = z.string({ error: accepted });
  const jwk = z.looseObject({ kty: member, d: member }, { error: accepted });
  const pem = z
    .string()
    // WebCrypto reads PKCS #8 alone.
    .overwrite(standardPem)
    .trim()
    .regex(/^-----BEGIN PRIVATE KEY-----/, { error: accepted });
  const parsed = z.string().transform((value, context) => {
    const result = jwk.safeParse(parseJsonObject(new TextEncoder().encode(value)));
    if (result.success) return result.data;
    context.addIssue({ code: "custom", message: accepted });
    return z.NEVER;
  });
  return z.union([jwk, pem, parsed], { error: accepted });
}

/** A path of this instance. Only plain characters: routers read others as patterns. */
export function path() {
  const accepted = "a path that starts with / and holds letters, digits and . _ ~ - / only";
  return z.string({ error: accepted }).regex(/^\/[A-Za-z0-9._~/-]*$/, { error: accepted });
}

/** An absolute URL, kept as it is written because issuers and audiences are compared character by character. */
export function url(accepted = "an absolute http or https URL without user name, password or fragment") {
  return z
    .string({ error: accepted })
    .refine(isHttpUrl, { error: ({ input }) => accepted + schemeHint(String(input)) });
}

/** Behind what is accepted: which part of a URL is odd, where that is its scheme. Of the rest nothing is said, which may be secret. */
function schemeHint(value: string): string {
  const [, scheme = "", slashes] = /^([a-z][a-z0-9+.-]*):(\/\/)?/i.exec(value) ?? [];
  if (/^https?$/i.test(scheme)) return "";
  if (slashes !== undefined) return `; ${scheme}:// is neither http:// nor https://`;
  return /^[\w.-]+(:\d+)?(\/|$)/.test(value) ? "; http:// or https:// is missing in front" : "";
}

/** A URL that paths are put behind. */
export function baseURL() {
  const accepted = "an absolute http or https URL without user name, password, query or fragment";
  return url(accepted).refine((value) => !value.includes("?"), { error: accepted });
}

/** An e-mail address, in lower case from here on. */
export function email() {
  const accepted = "an e-mail address";
  return z.string({ error: accepted }).transform((value, context) => {
    const address = parseEmail(value);
    if (address !== undefined) return address;
    context.addIssue({ code: "custom", message: accepted });
    return z.NEVER;
  });
}

export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: "a list" });
}

/** A part of the document that other programs read: any value. */
export function anything() {
  return z.unknown();
}

function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value) || /\s/.test(value)) return false;
  const { protocol, username, password } = new URL(value);
  const isHttp = protocol === "http:" || protocol === "https:";
  return isHttp && username === "" && password === "" && !value.includes("#");
}

/** What ends after such a time has a date (ECMA-262 §21.4.1.1), which lists show. */
const LONGEST_DURATION = 876_000 * 3_600_000;

function durationOf(accepted: string, fits: (milliseconds: number) => boolean) {
  return z.string({ error: accepted }).transform((value, context) => {
    const milliseconds = parseDuration(value);
    const isTooLong = milliseconds !== undefined && milliseconds > LONGEST_DURATION;
    if (milliseconds !== undefined && !isTooLong && fits(milliseconds)) return milliseconds;
    context.addIssue({ code: "custom", message: isTooLong ? `${accepted}, 100 years at most` : accepted });
    return z.NEVER;
  });
}
