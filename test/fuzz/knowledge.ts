import type { WireExpectation } from "./interpretation.ts";
import type { WireAnswer } from "./wire.ts";
import type { World } from "./world.ts";

/** What is true from now on, after a success. Returns the token that was issued, if one was. */
export function remember(
  { body }: Pick<WireAnswer, "body">,
  { endpoint, usedId, clientId, token = "" }: WireExpectation,
  { usedIds, tokens }: World,
): string | undefined {
  if (usedId !== undefined) usedIds.add(usedId);
  const known = tokens.get(token);
  if (endpoint === "revoke" && known !== undefined && known.clientId === clientId) {
    tokens.set(token, { ...known, isRevoked: true });
  }
  if (endpoint !== "token" || clientId === undefined) return undefined;
  const { access_token } = JSON.parse(body) as { access_token: string };
  tokens.set(access_token, { clientId, isRevoked: false });
  return access_token;
}

/**
 * What nobody knows from now on, when the product did not answer. Behind a request that is hardly HTTP the sending side is
 * closed, and a server may do what the request says and close the connection instead of answering, before or after it has
 * done so.
 */
export function doubt(
  { endpoint, usedId, clientId, token = "" }: WireExpectation,
  { contestedIds, tokens }: World,
): void {
  if (usedId !== undefined) contestedIds.add(usedId);
  const known = tokens.get(token);
  if (endpoint !== "revoke" || known === undefined || known.clientId !== clientId || known.isRevoked === true) return;
  tokens.set(token, { ...known, isRevoked: "perhaps" });
}
