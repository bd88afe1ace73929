import type { JsonObject } from "../../kernel/json.ts";
import { fetchJson } from "../http/fetch-json.ts";
import { isSameIssuer, issuerFromWellKnown } from "./issuer.ts";

/** Milliseconds for a document. */
export const DISCOVERY_TIMEOUT = 5_000;
/** Issuers stand in log lines and audit records. */
const MAX_ISSUER = 512;

export interface DiscoveryDocument {
  /** Exactly as the document spells it: tokens repeat it so. */
  readonly issuer: string;
  /** The whole document, not checked any further. */
  readonly document: JsonObject;
}

/**
 * Reads the discovery document of a server: OpenID Connect Discovery 1.0 §4, RFC 8414 §3. A server speaks for no other
 * issuer than the one of its address (§4.3, §3.3). The messages of errors say what was wrong, for the log.
 */
export async function fetchDiscovery(
  fetch: typeof globalThis.fetch,
  url: string,
  signal?: AbortSignal,
): Promise<DiscoveryDocument> {
  refuseCredentials(url);
  const { status, body } = await fetchJson(fetch, url, { timeout: DISCOVERY_TIMEOUT, signal });
  if (status >= 300 && status < 400) throw new Error(`discovery answered ${status}; redirects are not followed`);
  if (status !== 200 || body === undefined) {
    throw new Error(
      `discovery answered ${status} ${status === 200 ? "without a JSON object of at most 1 MB" : ""}`.trim(),
    );
  }
  const { issuer } = body;
  if (typeof issuer !== "string" || issuer === "") throw new Error("discovery names no issuer");
  if (issuer.length > MAX_ISSUER) throw new Error(`discovery names an issuer of over ${MAX_ISSUER} characters`);
  const expected = issuerFromWellKnown(url);
  if (expected !== undefined && !isSameIssuer(expected, issuer)) {
    throw new Error(
      `discovery names the issuer ${JSON.stringify(issuer)}, but its address is the one of "${expected}"`,
    );
  }
  return { issuer, document: body };
}

/** The error that `fetch` throws for them repeats them. */
function refuseCredentials(url: string): void {
  const { username, password } = new URL(url);
  if (username !== "" || password !== "") throw new Error("the address holds a user name or password; none is sent");
}
