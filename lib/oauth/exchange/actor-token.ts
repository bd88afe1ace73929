import type { Dependencies } from "../../dependencies.ts";
import type { OAuthClient } from "../clients/client.ts";
import type { Actor } from "./actors.ts";
import type { ExchangeRequest } from "./exchange-token.ts";
import { unacceptableToken } from "./refusals.ts";
import { ownToken } from "./subject-token.ts";

/** The party that an actor token names. */
export interface NamedActor {
  readonly actor: Actor;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Who acts, where an actor token says so; undefined without one. The token is held to the same as a subject token. One that
 * is a delegation itself would bring a second chain of actors along, of which one would have to be left out.
 *
 * @throws {OAuthError} `invalid_request`
 */
export async function namedActor(
  { actorToken: text, actorTokenType: type }: Pick<ExchangeRequest, "actorToken" | "actorTokenType">,
  caller: OAuthClient,
  dependencies: Dependencies,
): Promise<NamedActor | undefined> {
  if (text === undefined || type === undefined) return undefined;
  const { subject, clientId, expiresAt, claims } = await ownToken("actor_token", { text, type }, caller, dependencies);
  if (claims?.act !== undefined) {
    throw unacceptableToken("actor_token", "names an actor and cannot be an actor itself");
  }
  const actor = subject === clientId ? { sub: clientId } : { sub: subject, client_id: clientId };
  return { actor, expiresAt };
}
