import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import {
  type BrowserPart,
  browserPartText,
  CONNECTOR_SIGN_IN_LIFETIME,
  parseBrowserPart,
} from "../../lib/directory/connector-sign-in/pending.ts";
import { CHALLENGE_LIFETIME } from "../../lib/directory/passkeys/ceremony.ts";
import type { Env } from "../env.ts";

/** What ties a passkey's ceremony to the browser that it happens in, if the browser sent it. */
export function readPasskeyCookie(c: Context<Env>): string | undefined {
  return getCookie(c)[PASSKEY];
}

/** Only our own pages take part in the ceremony, so that no other site's request carries it. */
export function writePasskeyCookie(c: Context<Env>, binding: string): void {
  write(c, `${PASSKEY}=${binding}; Max-Age=${CHALLENGE_LIFETIME / 1000}`, "Strict");
}

/** What the browser keeps of a sign-in at a connector. */
export function readConnectorCookie(c: Context<Env>): BrowserPart | undefined {
  return parseBrowserPart(getCookie(c)[CONNECTOR]);
}

/** The connector's page leads back here, and the cookie has to come along. */
export function writeConnectorCookie(c: Context<Env>, browser: BrowserPart): void {
  write(c, `${CONNECTOR}=${browserPartText(browser)}; Max-Age=${CONNECTOR_SIGN_IN_LIFETIME / 1000}`, "Lax");
}

/** What a `__Host-` name demands (RFC 6265bis §4.1.3.2). */
function write(c: Context<Env>, cookie: string, sameSite: "Strict" | "Lax"): void {
  c.header("Set-Cookie", `${cookie}; Path=/; Secure; HttpOnly; SameSite=${sameSite}`, { append: true });
}

const PASSKEY = "__Host-countersign-passkey";
const CONNECTOR = "__Host-countersign-console-sign-in";
