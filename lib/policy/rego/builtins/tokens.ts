import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { equalBytes, hex, utf8 } from "../../../kernel/encoding.ts";
import { spend, spendText } from "../budget.ts";
import { parseJson, RegoObject, type Value } from "../value.ts";
import { base64urlBytes, text } from "./encoding.ts";
import { type Builtin, type Builtins, builtinError, stringAt } from "./operands.ts";

/** JSON Web Tokens (RFC 7519): reading them, and the signatures that a shared secret makes; `signatures.ts` has the others. */
export const TOKENS: Builtins = {
  "io.jwt.decode": (values) => {
    const { header, payload, signature } = decoded(stringAt(values, 0), 0);
    return [header, payload, hex(signature)];
  },
  "io.jwt.verify_hs256": verifiesBySecret(sha256),
  "io.jwt.verify_hs384": verifiesBySecret(sha384),
  "io.jwt.verify_hs512": verifiesBySecret(sha512),
};

interface Token {
  readonly header: RegoObject;
  readonly payload: RegoObject;
  readonly signature: Uint8Array;
}

/** Tokens inside tokens. */
export const DEEPEST = 5;

function decoded(token: string, depth: number): Token {
  const { header, payload, signature } = partsOf(token);
  const read = objectOf(header);
  const body = text(base64urlBytes(payload));
  // A nested token stands for itself (RFC 7519 §5.2).
  if (read.get("cty") === "JWT" && depth < DEEPEST) return decoded(unquoted(body), depth + 1);
  return { header: read, payload: jsonObject(body), signature: base64urlBytes(signature) };
}

export function unquoted(body: string): string {
  const isQuote = (index: number) => body[index] === '"' || body[index] === "'";
  let [start, end] = [0, body.length];
  while (start < end && isQuote(start)) start += 1;
  while (end > start && isQuote(end - 1)) end -= 1;
  return body.slice(start, end);
}

export function partsOf(token: string): {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
} {
  spendText(token.length * 2);
  const [header = "", payload = "", signature = "", ...more] = token.split(".");
  if (token.split(".").length !== 3 || more.length > 0) throw builtinError("encoded JWT must have 3 sections");
  return { header, payload, signature };
}

/** An encrypted token is not read. */
export function objectOf(encoded: string): RegoObject {
  const header = jsonObject(text(base64urlBytes(encoded)));
  if (header.has("enc")) throw builtinError("JWT is a JWE object, which is not supported");
  return header;
}

export function jsonObject(json: string): RegoObject {
  const value = parseJson(json);
  if (!(value instanceof RegoObject)) throw builtinError("is no JSON object");
  return value;
}

function verifiesBySecret(hash: Parameters<typeof hmac>[0]): Builtin {
  return (values): Value => {
    const [token, secret] = [stringAt(values, 0), stringAt(values, 1)];
    const { header, payload, signature } = partsOf(token);
    spend(300 + (token.length + secret.length) / 4);
    return equalBytes(base64urlBytes(signature), hmac(hash, utf8(secret), utf8(`${header}.${payload}`)));
  };
}
