import { sha256base64url } from "#sha256";
import { auditEvent } from "../audit/event.ts";
import type { Clock } from "../kernel/clock.ts";
import { ProblemError } from "../kernel/problem.ts";
import { createRateLimit } from "../kernel/rate-limit.ts";
import { isSecretText, newSecretText } from "../kernel/secret-text.ts";
import { causeOf } from "../logging/cause.ts";
import { sourceKey } from "../net/source.ts";
import { endBrowserSession, startBrowserSession } from "./browser-sessions.ts";
import { noOrganization, type Profile, readProfile } from "./person.ts";
import type { DirectoryPorts } from "./ports.ts";
import {
  attemptOf,
  recordRefusedSignIn,
  recordSignIn,
  type SignInAttempt,
  type SignInRequest,
} from "./sign-in-audit.ts";

/** A person who has just signed in, and the value of the new session's cookie. */
export interface SignedIn {
  readonly profile: Profile;
  readonly session: string;
}

/**
 * Signs in a person who has just proved their identity. The audit record comes first, because no session may lack one.
 * @throws ProblemError `forbidden` for somebody who has meanwhile left their last organization
 */
export async function signInPerson(
  dependencies: DirectoryPorts,
  userId: string,
  attempt: SignInAttempt,
  { formerSession, userAgent }: SignInRequest,
): Promise<SignedIn> {
  const profile = await readProfile(dependencies, userId);
  if (profile.organizations.length === 0) throw noOrganization();
  await recordSignIn(dependencies, attempt, userId);
  if (formerSession !== undefined) await endBrowserSession(dependencies, formerSession);
  return { profile, session: await startBrowserSession(dependencies, userId, { method: attempt.method, userAgent }) };
}

/**
 * Signs in the person of a one-time link. If a step fails, the link stays valid.
 * @throws ProblemError `forbidden`
 */
export function signInByLink(
  dependencies: DirectoryPorts,
): (secret: string, request: SignInRequest) => Promise<SignedIn> {
  return async (secret, request) => {
    const attempt = attemptOf("link", request);
    const signedIn = await useSignInLink(dependencies, secret, (userId) =>
      signInPerson(dependencies, userId, attempt, request),
    );
    if (signedIn !== undefined) return signedIn;
    await recordRefusedSignIn(dependencies, attempt);
    throw new ProblemError("forbidden", "The sign-in link is unknown, was used already, or has expired.");
  };
}

/**
 * Uses up a link and runs `work` for its person. Undefined, and no work is done, if the link is unknown, used or expired. If
 * the work fails, the link is stored again if possible, and the promise rejects with the error of the work.
 */
export async function useSignInLink<T>(
  dependencies: DirectoryPorts,
  secret: string,
  work: (userId: string) => Promise<T>,
): Promise<T | undefined> {
  if (!isSecretText(secret)) return undefined;
  const { stores, clock, logger } = dependencies;
  const link = await stores.directory.consumeSignInLink(sha256base64url(secret), clock.now());
  if (link === undefined) return undefined;
  try {
    return await work(link.userId);
  } catch (error) {
    await stores.directory
      .createSignInLink(link)
      .catch((cause: unknown) => logger.error("a sign-in link could not be given back", { cause: causeOf(cause) }));
    throw error;
  }
}

/** How long a sign-in link works, in milliseconds. */
const SIGN_IN_LINK_LIFETIME = 3_600_000;

interface SignInLink {
  /** Opens the page that posts the secret. It stands in the fragment, which browsers send to no server. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Makes a one-time link for a person. Only the hash of its secret is kept.
 * @param actor who makes it, `operator:<login name>`
 */
export async function createSignInLink(
  dependencies: DirectoryPorts,
  userId: string,
  actor: string,
): Promise<SignInLink> {
  const { directory } = dependencies.stores;
  const secret = newSecretText(dependencies.random);
  const expiresAt = dependencies.clock.now() + SIGN_IN_LINK_LIFETIME;
  const [membership] = await directory.memberships(userId);
  const event = auditEvent(dependencies, {
    type: "sign_in_link.created",
    outcome: "success",
    ...(membership !== undefined && { organizationId: membership.organizationId }),
    actor,
    user: userId,
  });
  await directory.createSignInLink({ secretHash: sha256base64url(secret), userId, expiresAt }, event);
  const { baseURL } = dependencies.configuration().configuration.console;
  return { url: `${baseURL}/console/sign-in#token=${secret}`, expiresAt };
}

/** Limits how many sign-ins to the Console begin. Anybody can send a request, and each sign-in is stored for minutes. */
interface SignInBeginLimit {
  /** @throws ProblemError `unavailable` */
  admit(source: string | undefined): void;
}

export function createSignInBeginLimit(clock: Clock): SignInBeginLimit {
  const sources = createRateLimit(clock, SOURCE_LIMIT);
  const all = createRateLimit(clock, LIMIT);
  return {
    admit: (source) => {
      if (sources.take(sourceKey(source)) && all.take("")) return;
      throw new ProblemError("unavailable", "More sign-ins begin here than people begin. Try again in a minute.");
    },
  };
}

/** All people of a company may share one address. */
const SOURCE_LIMIT = { capacity: 300, perSecond: 5 };
const LIMIT = { capacity: 2_000, perSecond: 100 };
