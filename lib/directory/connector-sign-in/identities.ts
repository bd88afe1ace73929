import type { Dependencies } from "../../dependencies.ts";
import type { Identity } from "../../management/schemas/identities.ts";
import { ProblemError } from "../../problem.ts";
import type { IdentityRecord } from "../../stores/identities.ts";
import { type ActingPerson, personEvents } from "../person-events.ts";
import { requireAnotherWayIn } from "../ways-in.ts";

/** An account as the management API shows it to the person that it is linked with. */
export function representIdentity({ connector, label, subject, createdAt }: IdentityRecord): Identity {
  return {
    connector,
    ...(label !== undefined && { label }),
    ...{ subject, createdAt: new Date(createdAt).toISOString() },
  };
}

/**
 * Unlinks an account of the person's: nobody signs in with it from here on.
 * @throws ProblemError `not_found`, `conflict` when it is the last way to sign in
 */
export async function unlinkIdentity(
  dependencies: Dependencies,
  { connector, subject }: Pick<IdentityRecord, "connector" | "subject">,
  person: ActingPerson,
): Promise<void> {
  const { identities } = dependencies.stores;
  const linked = await identities.listIdentities(person.userId);
  const identity = linked.find((one) => one.connector === connector && one.subject === subject);
  if (identity === undefined) throw unknownIdentity();
  const { issuer } = identity;
  await requireAnotherWayIn(
    dependencies,
    person.userId,
    (way) => "issuer" in way && way.issuer === issuer && way.subject === subject,
  );
  const { event, recordElsewhere } = await personEvents(dependencies, person, {
    ...{ type: "identity.unlinked", outcome: "success" },
    details: { connector, subject },
  });
  if (!(await identities.unlinkIdentity(person.userId, { issuer, subject }, event))) throw unknownIdentity();
  await recordElsewhere();
}

function unknownIdentity(): ProblemError {
  return new ProblemError("not_found", "You have no such account here.");
}
