import type { Dependencies } from "../dependencies.ts";
import { sha256base64url } from "../encoding.ts";
import { isSecretText, newSecretText } from "./secret-text.ts";

/** How long a sign-in link works, in milliseconds. */
export const SIGN_IN_LINK_LIFETIME = 3_600_000;

export interface SignInLink {
  /** Opens the page that posts the secret. It stands in the fragment, which browsers send to no server. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Makes a one-time link for a person. Only the hash of its secret is kept. */
export async function createSignInLink(dependencies: Dependencies, userId: string): Promise<SignInLink> {
  const secret = newSecretText(dependencies.random);
  const expiresAt = dependencies.clock.now() + SIGN_IN_LINK_LIFETIME;
  await dependencies.stores.directory.createSignInLink({
    secretHash: await sha256base64url(secret),
    userId,
    expiresAt,
  });
  const { baseURL } = dependencies.configuration().configuration.console;
  return { url: `${baseURL}/sign-in#token=${secret}`, expiresAt };
}

/** Uses a link up and resolves to the person's id; undefined when it is unknown, used or expired. */
export async function consumeSignInLink(dependencies: Dependencies, secret: string): Promise<string | undefined> {
  if (!isSecretText(secret)) return undefined;
  const now = dependencies.clock.now();
  const link = await dependencies.stores.directory.consumeSignInLink(await sha256base64url(secret), now);
  return link?.userId;
}
