import { COLLECTIONS } from "./collections.ts";
import { ENCODINGS } from "./encoding.ts";
import { FORMATS } from "./formats.ts";
import { JSON_DOCUMENTS } from "./json.ts";
import { NETWORKS } from "./networks.ts";
import { AGGREGATES, NUMBERS } from "./numbers.ts";
import type { Builtin, Builtins } from "./operands.ts";
import { PATTERNS } from "./patterns.ts";
import { SIGNATURES } from "./signatures.ts";
import { STRINGS } from "./strings.ts";
import { TIMES } from "./time.ts";
import { TOKENS } from "./tokens.ts";

const SERVED: Builtins = {
  ...AGGREGATES,
  ...COLLECTIONS,
  ...ENCODINGS,
  ...FORMATS,
  ...JSON_DOCUMENTS,
  ...NETWORKS,
  ...NUMBERS,
  ...PATTERNS,
  ...SIGNATURES,
  ...STRINGS,
  ...TIMES,
  ...TOKENS,
};

/** Names of the built-in functions that plans may call. */
export const SERVED_BUILTINS: readonly string[] = Object.keys(SERVED).sort();

const SAME_ALWAYS = "a decision depends on its input and the policy's data alone";
const NO_CERTIFICATES = "a policy reads no certificates and no private keys";
const SIGNS_NOTHING = "a policy signs nothing";
const NO_LIBRARY = "there is no implementation of it here";

/** Why others are refused, by their name or what it begins with. */
const REFUSED: readonly (readonly [string, string])[] = [
  ["http.send", SAME_ALWAYS],
  ["net.lookup_ip_addr", SAME_ALWAYS],
  ["opa.runtime", SAME_ALWAYS],
  ["rand.", SAME_ALWAYS],
  ["uuid.rfc4122", SAME_ALWAYS],
  ["test.sleep", SAME_ALWAYS],
  ["io.jwt.", SIGNS_NOTHING],
  ["crypto.x509.", NO_CERTIFICATES],
  ["crypto.parse_private_keys", NO_CERTIFICATES],
  ["providers.aws.", SIGNS_NOTHING],
];

/** A served function, or why it is refused, for people. */
export function findBuiltin(name: string): { readonly run: Builtin } | { readonly refused: string } {
  const run = Object.hasOwn(SERVED, name) ? SERVED[name] : undefined;
  if (run !== undefined) return { run };
  return { refused: REFUSED.find(([prefix]) => name.startsWith(prefix))?.[1] ?? NO_LIBRARY };
}
