import { discoverAuthorizationServerMetadata } from "@modelcontextprotocol/client";
import { valueAt } from "../../../../lib/config/path.ts";
import { noAnswer, statusError, UnreachableError } from "../../exit-codes.ts";
import type { CommandIo } from "../../io.ts";
import { outboundFetch } from "../../net/open-fetch.ts";
import { type KeptSignIn, keptSignIns } from "./kept-sign-ins.ts";
import { serverURL } from "./server.ts";

/**
 * Ends the sign-in at an MCP server, here and at the authorization server.
 *
 * @returns what became of it, for people
 * @throws RefusedError, UnreachableError where the tokens were forgotten and not taken back
 */
export async function signOut(given: string | undefined, io: CommandIo): Promise<string> {
  const { href } = serverURL(given);
  const kept = keptSignIns(io.environment);
  const found = kept.of(href);
  if (found === undefined) return `Nobody is signed in at ${href}.`;
  try {
    const isTakenBack = await takenBack(found, outboundFetch(io.environment));
    return isTakenBack ? `Signed out of ${href}.` : `Signed out of ${href} here. ${found.issuer} ${KEEPS_THEM}`;
  } finally {
    kept.forget(href);
  }
}

const KEEPS_THEM = "takes no tokens back: they end by themselves.";

/** False: there is no way to take tokens back. The refresh token first: it could get others. */
async function takenBack(found: KeptSignIn, fetch: typeof globalThis.fetch): Promise<boolean> {
  const { issuer, client, refreshToken, accessToken } = found;
  const metadata = await reached(issuer, discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch }));
  const endpoint = valueAt(metadata, ["revocation_endpoint"]);
  if (typeof endpoint !== "string") return false;
  const tokens = { ...(refreshToken !== undefined && { refresh_token: refreshToken }), access_token: accessToken };
  for (const [hint, token] of Object.entries(tokens)) {
    const body = new URLSearchParams({ token, token_type_hint: hint, ...client });
    const response = await reached(issuer, fetch(endpoint, { method: "POST", body }));
    // Some servers end access tokens with the refresh token alone (RFC 7009 §2.2.1).
    const { error } = Object(response.ok ? undefined : await response.json().catch(() => undefined));
    if (!response.ok && error !== "unsupported_token_type")
      throw statusError(response.status, `${issuer} answered with ${response.status}. ${LEFT}`);
  }
  return true;
}

function reached<T>(issuer: string, asked: Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    throw new UnreachableError(`${noAnswer(issuer, error).message} ${LEFT}`);
  });
}

const LEFT = "The tokens are forgotten here, but may be good there until they end: end the agent in the Console.";
