import { statusText } from "../http.ts";
import type { VaultAnswer } from "./client.ts";

/** What the errors of an answer are about, by words that they are known to have; their own text is not passed on. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/vault is sealed|is sealed/i, "it is sealed"],
  [/not initialized/i, "it is not initialized"],
  [/local node not active/i, "it is a standby node and knows no active one"],
  [/invalid (role|secret)[ _]?(id|or)/i, "the role ID or the secret ID is not valid (any more)"],
  [/invalid token|bad token|token (is )?expired/i, "the token is not valid (any more)"],
  [/permission denied/i, "permission denied: the token is not valid (any more), or none of its policies allows it"],
  [/rate limit quota exceeded/i, "its rate limit is exceeded"],
  [/no handler for route|unsupported path/i, "nothing is mounted at this path"],
  [/versioned k\/v/i, "KV version 2 needs /data/ behind the mount in the URL's path"],
];

/** Why Vault has not done what was asked, for people: `it is sealed (status 503)`. */
export function refusalReason(answer: VaultAnswer): string {
  const known = KNOWN.find(([words]) => toldBy(answer).some((text) => words.test(text)))?.[1];
  const status = statusText(answer.status);
  if (known !== undefined) return `${known} (${status})`;
  if (answer.status === 307)
    return `it redirects to another node a second time, without TLS or to another path (${status})`;
  return answer.body === undefined ? `${status}, and no answer of Vault's` : status;
}

function toldBy({ body }: VaultAnswer): readonly string[] {
  const lists = [body?.errors, body?.warnings].filter((list) => Array.isArray(list));
  return lists.flat().filter((text): text is string => typeof text === "string");
}
