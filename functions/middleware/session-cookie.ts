import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import type { Configuration } from "../../lib/config/configuration.ts";
import { consoleCookieName, forgottenSession, hostCookie, sessionCookie } from "../../lib/directory/session-cookie.ts";
import type { Env } from "../env.ts";

/** The value of the authorization server's session cookie, if the browser sent one. */
export function readSessionCookie(c: Context<Env>, { session }: Configuration): string | undefined {
  return getCookie(c)[session.cookieName];
}

/** Gives the browser its session. */
export function writeSessionCookie(c: Context<Env>, { session }: Configuration, value: string): void {
  write(c, sessionCookie(value, hostnameOf(c), session));
}

export function clearSessionCookie(c: Context<Env>, { session }: Configuration): void {
  write(c, forgottenSession(hostnameOf(c), session));
}

/** The value of the Console's session cookie: another one, so that signing in to an application leaves the Console alone (D131). */
export function readConsoleCookie(c: Context<Env>, { session }: Configuration): string | undefined {
  return getCookie(c)[consoleCookieName(session)];
}

/** As `writeSessionCookie`. */
export function writeConsoleCookie(c: Context<Env>, { session }: Configuration, value: string): void {
  write(c, hostCookie(consoleCookieName(session), value, session.maxTimeout));
}

export function clearConsoleCookie(c: Context<Env>, { session }: Configuration): void {
  write(c, hostCookie(consoleCookieName(session), "", 0));
}

function hostnameOf(c: Context<Env>): string {
  return new URL(c.req.url).hostname;
}

function write(c: Context<Env>, line: string): void {
  c.header("Set-Cookie", line, { append: true });
}
