import type { Dependencies } from "../../dependencies.ts";
import type { Passkey } from "../../management/schemas/passkeys.ts";
import { ProblemError } from "../../problem.ts";
import type { PasskeyRecord } from "../../stores/passkeys.ts";
import { type ActingPerson, personEvents } from "../person-events.ts";
import { requireAnotherWayIn } from "../ways-in.ts";
import { isCredentialId } from "./responses.ts";

/** A passkey as the management API shows it to its person. */
export function representPasskey({ credentialId, name, createdAt, lastUsedAt, backedUp }: PasskeyRecord): Passkey {
  return {
    ...{ passkeyId: credentialId, name, createdAt: new Date(createdAt).toISOString() },
    ...(lastUsedAt !== undefined && { lastUsedAt: new Date(lastUsedAt).toISOString() }),
    isBackedUp: backedUp,
  };
}

/**
 * Removes a passkey of the person's: nobody signs in with it from here on. Sessions that began with it go on.
 * @throws ProblemError `not_found`, `conflict` when it is the last way to sign in
 */
export async function removePasskey(
  dependencies: Dependencies,
  passkeyId: string,
  person: ActingPerson,
): Promise<void> {
  const { passkeys } = dependencies.stores;
  const passkey = isCredentialId(passkeyId) ? await passkeys.getPasskey(passkeyId) : undefined;
  if (passkey?.userId !== person.userId) throw unknownPasskey();
  await requireAnotherWayIn(
    dependencies,
    person.userId,
    (way) => "credentialId" in way && way.credentialId === passkeyId,
  );
  const { event, recordElsewhere } = await personEvents(dependencies, person, {
    ...{ type: "passkey.removed", outcome: "success" },
    details: { passkeyId, name: passkey.name },
  });
  if (!(await passkeys.removePasskey(person.userId, passkeyId, event))) throw unknownPasskey();
  await recordElsewhere();
}

function unknownPasskey(): ProblemError {
  return new ProblemError("not_found", "You have no such passkey.");
}
