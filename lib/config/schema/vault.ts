import * as z from "zod";
import { about } from "#about";
import { base64url, fromBase64url } from "../../kernel/encoding.ts";
import { described, section } from "./section.ts";
import { list, secret } from "./types.ts";

const KEY = "32 bytes as base64, base64url or hexadecimal digits; `openssl rand -base64 32` makes them";
const BYTES = 32;

/** `vault`: what the tokens of people's connections are sealed with. That apps need it stands in `rules/oauth-connectors.ts`. */
export const vault = described(
  section({
    keys: described(
      list(key()).default([]),
      about(
        "Keys of 32 bytes each. The first one encrypts, all decrypt. To rotate, put a new key in front, run `countersign vault rewrap`, then remove the old one.",
        ["<vault.key-2>", "<vault.key-1>"],
      ),
    ),
  }).prefault({}),
  about("Encryption of the tokens of accounts that people connect."),
);

/** Base64url from here on, whichever way it was written. */
function key() {
  return secret(
    z.string({ error: KEY }).transform((written, context) => {
      const bytes = bytesOf(written);
      if (bytes?.length === BYTES) return base64url(bytes);
      context.addIssue({ code: "custom", message: KEY });
      return z.NEVER;
    }),
  );
}

/** 64 digits can be nothing but hexadecimal: 32 bytes have 43 characters of base64url. */
function bytesOf(text: string): Uint8Array | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) {
    return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  }
  return fromBase64url(text.replace(/=$/, "").replaceAll("+", "-").replaceAll("/", "_"));
}
