import { hmac } from "@noble/hashes/hmac.js";
import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { base64, base64url, equalBytes, fromBase64, hex, utf8 } from "../../../kernel/encoding.ts";
import { spend, spendText } from "../budget.ts";
import { isArray, jsonText, RegoObject, RegoSet, type Value } from "../value.ts";
import { type Builtin, type Builtins, builtinError, objectAt, operandError, stringAt } from "./operands.ts";

/** Encodings and hashes (OPA, "Encoding", "Crypto"); texts stand for their UTF-8. */
export const ENCODINGS: Builtins = {
  "base64.encode": onBytes((bytes) => base64(bytes)),
  "base64.decode": (values) => text(strictBase64(spent(values))),
  "base64.is_valid": ([value]) => typeof value === "string" && isValid(() => strictBase64(value)),
  "base64url.encode": onBytes((bytes) => base64(bytes).replaceAll("+", "-").replaceAll("/", "_")),
  "base64url.encode_no_pad": onBytes(base64url),
  "base64url.decode": (values) => text(base64urlBytes(spent(values))),
  "hex.encode": onBytes(hex),
  "hex.decode": (values) => {
    const digits = spent(values);
    if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) throw builtinError("is no hexadecimal text");
    return text(Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
  },
  "urlquery.encode": (values) => escaped(spent(values)),
  "urlquery.decode": (values) => unescaped(spent(values)),
  "urlquery.encode_object": (values) => {
    const pairs = objectAt(values, 0)
      .entries()
      .map(([key, value]) => [typeof key === "string" ? key : jsonText(key), valuesOf(value)] as const);
    return pairs.flatMap(([key, entries]) => entries.map((entry) => `${escaped(key)}=${escaped(entry)}`)).join("&");
  },
  "urlquery.decode_object": (values) => {
    const found = new Map<string, string[]>();
    for (const pair of spent(values).split("&")) {
      spend(1);
      if (pair === "") continue;
      if (pair.includes(";")) throw builtinError("invalid semicolon separator in query");
      const [, name = "", value = ""] = /^([^=]*)=?([\s\S]*)$/.exec(pair) ?? [];
      const key = unescaped(name);
      found.set(key, [...(found.get(key) ?? []), unescaped(value)]);
    }
    const object = new RegoObject();
    for (const [key, entries] of found) object.set(key, entries);
    return object;
  },
  "crypto.md5": onBytes((bytes) => hex(md5(bytes))),
  "crypto.sha1": onBytes((bytes) => hex(sha1(bytes))),
  "crypto.sha256": onBytes((bytes) => hex(sha256(bytes))),
  "crypto.hmac.md5": keyed((key, bytes) => hmac(md5, key, bytes)),
  "crypto.hmac.sha1": keyed((key, bytes) => hmac(sha1, key, bytes)),
  "crypto.hmac.sha256": keyed((key, bytes) => hmac(sha256, key, bytes)),
  "crypto.hmac.sha512": keyed((key, bytes) => hmac(sha512, key, bytes)),
  "crypto.hmac.equal": (values) => equalBytes(utf8(stringAt(values, 0)), utf8(stringAt(values, 1))),
};

/** Hashes run through about so many characters in the time of a step. */
const HASHED_A_STEP = 4;

function spent(values: readonly Value[]): string {
  const value = stringAt(values, 0);
  spendText(value.length * 2);
  return value;
}

function onBytes(apply: (bytes: Uint8Array) => string): Builtin {
  return (values) => {
    const value = stringAt(values, 0);
    spend(80 + value.length / HASHED_A_STEP);
    return apply(utf8(value));
  };
}

function keyed(apply: (key: Uint8Array, bytes: Uint8Array) => Uint8Array): Builtin {
  return (values) => {
    const [value, key] = [stringAt(values, 0), stringAt(values, 1)];
    spend(300 + (value.length + key.length) / HASHED_A_STEP);
    return hex(apply(utf8(key), utf8(value)));
  };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What is not UTF-8 becomes U+FFFD, as where Go writes JSON. */
export function text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Padded; line ends are ignored, as Go does. */
function strictBase64(value: string): Uint8Array {
  const digits = value.replace(/[\r\n]/g, "");
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) throw builtinError("illegal base64 data");
  return fromBase64(digits);
}

/** Padded or not. @throws EvaluationError */
export function base64urlBytes(value: string): Uint8Array {
  if (/[+/]/.test(value)) throw builtinError("illegal base64url data");
  const missing = value.endsWith("=") ? 0 : (4 - (value.length % 4)) % 4;
  if (missing === 3) throw builtinError("illegal base64url string");
  return strictBase64(value.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat(missing));
}

function isValid(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** Go's `url.QueryEscape`. */
function escaped(value: string): string {
  spendText(value.length * 3);
  const encoded = encodeURIComponent(value.toWellFormed());
  return encoded
    .replaceAll("%20", "+")
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Go's `url.QueryUnescape`. */
function unescaped(value: string): string {
  if (/%(?![0-9a-fA-F]{2})/.test(value)) throw builtinError("invalid URL escape");
  const spaced = value.replaceAll("+", " ");
  if (!spaced.includes("%")) return spaced;
  return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    text(Uint8Array.from(run.split("%").slice(1), (pair) => Number.parseInt(pair, 16))),
  );
}

function valuesOf(value: Value): readonly string[] {
  if (typeof value === "string") return [value];
  const entries = isArray(value) ? value : value instanceof RegoSet ? value.values() : [null];
  return entries.map((entry) => {
    if (typeof entry === "string") return entry;
    throw operandError("operand 1 values must be string, array[string], or set[string]");
  });
}
