import type { Dependencies } from "../../dependencies.ts";
import { sha256base64url } from "../../encoding.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import type { IdentityRecord } from "../../stores/identities.ts";
import { resumeConsoleSession } from "../browser-sessions.ts";
import { type ActingPerson, personEvents } from "../person-events.ts";
import type { SignInRequest } from "../sign-in-audit.ts";
import { findLinkedPerson, takeFromForgotten } from "./linked-person.ts";
import type { ConnectorIntent } from "./pending.ts";
import type { ConnectorProblem } from "./problem.ts";

/** Links an account with the person who went there for it, whose session has to be the one of then; or says why not. */
export async function linkAccount(
  dependencies: Dependencies,
  account: ConnectorSignIn,
  { userId, sessionId }: Extract<ConnectorIntent, { readonly kind: "link" }>,
  { formerSession, requestId }: Pick<SignInRequest, "formerSession" | "requestId">,
): Promise<ConnectorProblem | undefined> {
  if (formerSession === undefined || sha256base64url(formerSession) !== sessionId) return "expired";
  const session = await resumeConsoleSession(dependencies, formerSession);
  if (session?.userId !== userId) return "expired";
  if (await keepIdentity(dependencies, account, { userId, requestId })) return undefined;
  const linked = await findLinkedPerson(dependencies, account);
  return linked?.userId === userId ? undefined : "already_linked";
}

/** Writes the link down; false when the account is linked already, with whomever but somebody who is gone. */
export async function keepIdentity(
  dependencies: Dependencies,
  { issuer, subject, connector, claims }: ConnectorSignIn,
  person: ActingPerson,
): Promise<boolean> {
  const label = [claims.email, claims.preferred_username, claims.name].find((claim) => typeof claim === "string");
  const identity: IdentityRecord = {
    ...{ issuer, subject, connector, userId: person.userId },
    ...(typeof label === "string" && label !== "" && { label: label.slice(0, 200).toWellFormed() }),
    createdAt: dependencies.clock.now(),
  };
  const { event, recordElsewhere } = await personEvents(dependencies, person, {
    ...{ type: "identity.linked", outcome: "success" },
    details: { connector, subject },
  });
  const { identities } = dependencies.stores;
  const isLinked =
    (await identities.linkIdentity(identity, event)) ||
    ((await takeFromForgotten(dependencies, identity, person)) && (await identities.linkIdentity(identity, event)));
  if (isLinked) await recordElsewhere();
  return isLinked;
}
