import { auditEvent } from "../audit/event.ts";
import type { Dependencies } from "../dependencies.ts";
import { sha256base64url } from "../encoding.ts";
import { causeOf } from "../logging/cause.ts";
import { isSecretText, newSecretText } from "./secret-text.ts";

/** How long a sign-in link works, in milliseconds. */
export const SIGN_IN_LINK_LIFETIME = 3_600_000;

export interface SignInLink {
  /** Opens the page that posts the secret. It stands in the fragment, which browsers send to no server. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Makes a one-time link for a person. Only the hash of its secret is kept.
 * @param actor who makes it, `operator:<login name>`
 */
export async function createSignInLink(dependencies: Dependencies, userId: string, actor: string): Promise<SignInLink> {
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

/**
 * Uses a link up for work in the name of its person; undefined, without any work, when the link is unknown, used or
 * expired. Work that fails gives the link back, as far as the store still takes it: it rejects with the work's error.
 */
export async function useSignInLink<T>(
  dependencies: Dependencies,
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
