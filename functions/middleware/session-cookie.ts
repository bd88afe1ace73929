import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { Env } from "../env.ts";

/** The value of the session cookie, if the browser sent one. */
export function readSessionCookie(c: Context<Env>, { session }: Configuration): string | undefined {
  return getCookie(c)[session.cookieName];
}

/** Gives the browser its session; it forgets it with the session's absolute end at the latest. */
export function writeSessionCookie(c: Context<Env>, { session }: Configuration, value: string): void {
  const maxAge = Math.floor(session.maxTimeout / 1000);
  c.header("Set-Cookie", `${session.cookieName}=${value}; Max-Age=${maxAge}; ${ATTRIBUTES}`, { append: true });
}

export function clearSessionCookie(c: Context<Env>, { session }: Configuration): void {
  c.header("Set-Cookie", `${session.cookieName}=; Max-Age=0; ${ATTRIBUTES}`, { append: true });
}

/** What a `__Host-` name demands (RFC 6265bis §4.1.3.2); browsers accept `Secure` on http://localhost too. */
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";
