import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { Env } from "../env.ts";

/** The value of the authorization server's session cookie, if the browser sent one. */
export function readSessionCookie(c: Context<Env>, { session }: Configuration): string | undefined {
  return getCookie(c)[session.cookieName];
}

/** Gives the browser its session; it forgets it with the session's absolute end at the latest. */
export function writeSessionCookie(c: Context<Env>, { session }: Configuration, value: string): void {
  write(c, session.cookieName, value, session.maxTimeout);
}

export function clearSessionCookie(c: Context<Env>, { session }: Configuration): void {
  write(c, session.cookieName, "", 0);
}

/** The value of the Console's session cookie: another one, so that signing in to an application leaves the Console alone (D131). */
export function readConsoleCookie(c: Context<Env>, { session }: Configuration): string | undefined {
  return getCookie(c)[consoleCookieName(session)];
}

/** As `writeSessionCookie`. */
export function writeConsoleCookie(c: Context<Env>, { session }: Configuration, value: string): void {
  write(c, consoleCookieName(session), value, session.maxTimeout);
}

export function clearConsoleCookie(c: Context<Env>, { session }: Configuration): void {
  write(c, consoleCookieName(session), "", 0);
}

export function consoleCookieName({ cookieName }: Configuration["session"]): string {
  return `${cookieName}-console`;
}

function write(c: Context<Env>, name: string, value: string, lifetime: number): void {
  const maxAge = Math.floor(lifetime / 1000);
  c.header("Set-Cookie", `${name}=${value}; Max-Age=${maxAge}; ${ATTRIBUTES}`, { append: true });
}

/** What a `__Host-` name demands (RFC 6265bis §4.1.3.2); browsers accept `Secure` on http://localhost too. */
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";
