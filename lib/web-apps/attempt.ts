import { sha256base64url } from "#sha256";
import { type AppAttempt, INTERACTION_LIFETIME } from "../authorization-server/authorize/interaction.ts";
import type { Configuration, ConfigurationSnapshot } from "../config/configuration.ts";
import { APP_LOGIN, signInEndpoints } from "../config/endpoints.ts";
import type { WebAppConfiguration } from "../config/web-app-configuration.ts";
import type { Clock } from "../kernel/clock.ts";
import { base64url, utf8 } from "../kernel/encoding.ts";
import { equalSecrets } from "../kernel/equal-secrets.ts";
import { parseJsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";
import { seal, unseal } from "../kernel/seal.ts";
import { newSecretText } from "../kernel/secret-text.ts";
import type { RoutePattern } from "../reverse-proxy/routes.ts";
import { type StateSecretPorts, stateSecretOf } from "../upstream/request-state/sealed-state.ts";

/** Cookies of a request by name, in the order in which the browser sent them. */
export type Cookies = Readonly<Record<string, string>>;

export interface AttemptPorts extends StateSecretPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly clock: Clock;
  readonly random: Random;
}

/** What somebody asked for, and where they may sign in for it. */
export type AskedFor = Pick<AppAttempt, "app" | "origin" | "returnTo" | "connectors" | "isAnother">;

/** Where a browser is to go, with the cookies that make it the one that asked. */
export interface BegunAttempt {
  readonly location: string;
  /** `Set-Cookie` lines. */
  readonly cookies: readonly string[];
}

/**
 * Begins a sign-in on the host of a web app (D203). Nothing is stored: what was asked for travels sealed in the address, and
 * a cookie of this attempt alone ties it to the browser. Several tabs may have one each. Undefined after five within a
 * minute: whoever comes back that often does not get signed in, and would go round in a circle.
 */
export async function beginAttempt(
  asked: AskedFor,
  cookies: Cookies,
  ports: AttemptPorts,
): Promise<BegunAttempt | undefined> {
  const tries = recentTries(cookies, ports.clock.now());
  if (tries.length >= MAX_TRIES) return undefined;
  const { configuration } = ports.configuration();
  const id = base64url(ports.random.bytes(6));
  const binding = newSecretText(ports.random);
  const content = { ...asked, id, bindingHash: sha256base64url(binding) };
  const sealed = await sealedText(content, ATTEMPT, INTERACTION_LIFETIME, ports);
  const others = Object.keys(cookies).filter((name) => name.startsWith(COOKIE));
  // Browsers send the oldest first (RFC 6265 §5.4).
  const displaced = others.slice(0, Math.max(0, others.length - MAX_ATTEMPTS + 1));
  return {
    location: `${signInEndpoints(configuration).appSignIn}?${ATTEMPT_PARAMETER}=${sealed}`,
    cookies: [
      setCookie(COOKIE + id, binding, INTERACTION_LIFETIME / 1000),
      ...displaced.map((name) => setCookie(name, "", 0)),
      setCookie(TRIES, [...tries, ports.clock.now()].join("."), TRIES_WINDOW / 1000),
    ],
  };
}

/** The parameter that holds what is sealed. */
export const ATTEMPT_PARAMETER = "attempt";

/** The attempt that was sealed; undefined for every other text, and after ten minutes. */
export async function openAttempt(sealed: string, ports: AttemptPorts): Promise<AppAttempt | undefined> {
  const content = await opened(sealed, ATTEMPT, ports);
  const { id, bindingHash } = content ?? {};
  const asked = askedFor(content);
  if (asked === undefined || typeof id !== "string" || typeof bindingHash !== "string") return undefined;
  return { ...asked, id, bindingHash };
}

/** Whether a request comes from the browser of an attempt. Its cookie reaches the attempt's host alone. */
export function isOwnAttempt({ id, bindingHash }: AppAttempt, cookies: Cookies): boolean {
  const binding = attemptBinding(id, cookies);
  return binding !== undefined && equalSecrets(sha256base64url(binding), bindingHash);
}

/** The value of an attempt's cookie. */
export function attemptBinding(id: string, cookies: Cookies): string | undefined {
  const name = COOKIE + id;
  return Object.hasOwn(cookies, name) ? cookies[name] : undefined;
}

/** The `Set-Cookie` line by which the browser forgets an attempt. */
export function forgottenAttempt({ id }: Pick<AppAttempt, "id">): string {
  return setCookie(COOKIE + id, "", 0);
}

/**
 * The address on the app's host that begins a sign-in when a person goes there: for scripts and forms, which cannot be sent
 * elsewhere. It may stand in a page for a day.
 */
export async function loginURL(asked: AskedFor, ports: AttemptPorts): Promise<string> {
  return `${asked.origin}${APP_LOGIN}?${ATTEMPT_PARAMETER}=${await sealedText({ ...asked }, LOGIN, LOGIN_LIFETIME, ports)}`;
}

/** What the parameter of a `loginURL` asks for. */
export async function openLogin(sealed: string, ports: AttemptPorts): Promise<AskedFor | undefined> {
  return askedFor(await opened(sealed, LOGIN, ports));
}

/**
 * Where browsers reach an app by one of its routes. A route without a host is on the instance's own, and one without a port
 * is at the port of the public URL.
 */
export function originOf(
  { host }: Pick<RoutePattern, "host">,
  { publicURL }: Pick<Configuration, "publicURL">,
): string {
  const { origin, protocol, port } = new URL(publicURL);
  if (host === undefined) return origin;
  const hasPort = /:\d+$/.test(host);
  return new URL(`${protocol}//${host}${hasPort || port === "" ? "" : `:${port}`}`).origin;
}

/** The app of an attempt, if it is still reached at the same place; only there anybody is ever sent back to. */
export function appOf(
  { app: name, origin }: Pick<AppAttempt, "app" | "origin">,
  configuration: Pick<Configuration, "apps" | "publicURL">,
): WebAppConfiguration | undefined {
  return configuration.apps.find(
    (app): app is WebAppConfiguration =>
      app.type === "proxy" &&
      app.name === name &&
      app.routes.some((route) => originOf(route, configuration) === origin),
  );
}

/** `__Host-`: no other host, of this domain or below, can set it (RFC 6265bis §4.1.3.2). */
function setCookie(name: string, value: string, maxAge: number): string {
  return `${name}=${value}; Max-Age=${maxAge}; Path=/; Secure; HttpOnly; SameSite=Lax`;
}

const COOKIE = "__Host-countersign-app-";
const MAX_ATTEMPTS = 8;
/** The times of the last attempts. Who changes it harms nobody else. */
const TRIES = "__Host-countersign-tries";
const MAX_TRIES = 5;
/** Milliseconds. */
const TRIES_WINDOW = 60_000;
const ATTEMPT = "countersign web app attempt";
const LOGIN = "countersign web app login";
const LOGIN_LIFETIME = 24 * 3_600_000;

function recentTries(cookies: Cookies, now: number): readonly number[] {
  const times = (Object.hasOwn(cookies, TRIES) ? (cookies[TRIES] ?? "") : "").split(".").map(Number);
  return times.filter((time) => time > now - TRIES_WINDOW && time <= now).slice(-MAX_TRIES);
}

async function sealedText(
  content: Readonly<Record<string, unknown>>,
  purpose: string,
  lifetime: number,
  ports: AttemptPorts,
): Promise<string> {
  const text = JSON.stringify({ ...content, expiresAt: ports.clock.now() + lifetime });
  return seal(utf8(text), terms(purpose, ports), ports.random);
}

async function opened(sealed: string, purpose: string, ports: AttemptPorts) {
  const bytes = await unseal(sealed, terms(purpose, ports));
  const content = bytes && parseJsonObject(bytes);
  const expiresAt = content?.expiresAt;
  return typeof expiresAt === "number" && ports.clock.now() < expiresAt ? content : undefined;
}

function terms(purpose: string, ports: AttemptPorts) {
  const secret = stateSecretOf(ports);
  if (secret === undefined) throw new Error("there is no secret to seal sign-ins with");
  return { secret, purpose, bound: "" };
}

/** What was sealed was made here, perhaps by another release. */
function askedFor(content: Readonly<Record<string, unknown>> | undefined): AskedFor | undefined {
  const { app, origin, returnTo, connectors, isAnother } = content ?? {};
  if (typeof app !== "string" || typeof origin !== "string" || typeof returnTo !== "string") return undefined;
  if (!Array.isArray(connectors) || !connectors.every((name): name is string => typeof name === "string")) {
    return undefined;
  }
  return { app, origin, returnTo, connectors, ...(isAnother === true && { isAnother }) };
}
