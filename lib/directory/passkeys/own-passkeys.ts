import { base64url, utf8 } from "../../kernel/encoding.ts";
import { type Fields, readFields, textField } from "../../kernel/fields.ts";
import { ProblemError } from "../../kernel/problem.ts";
import type { SignInMethod } from "../../stores/directory.ts";
import type { PasskeyRecord } from "../../stores/passkeys.ts";
import { type ActingPerson, personEvents } from "../audit-events.ts";
import type { DirectoryPorts } from "../ports.ts";
import { MOST_PASSKEYS, requireAnotherSignInMethod } from "../sign-in-methods.ts";
import {
  type Ceremony,
  CHALLENGE_LIFETIME,
  newChallenge,
  RELYING_PARTY_NAME,
  requireRelyingParty,
  takeChallenge,
} from "./ceremony.ts";
import { isCredentialId, type RegistrationResponse, registrationResponse } from "./responses.ts";
import { ALGORITHMS, verifyRegistration } from "./verification.ts";

/** A signed-in person who makes a passkey, and the browser that it happens in. */
export interface RegisteringPerson extends ActingPerson {
  /** The hash that the session is stored by. */
  readonly sessionId: string;
  /** The ceremony's cookie, if the browser sent one. */
  readonly binding: string | undefined;
}

/**
 * What a browser needs to make a passkey (WebAuthn Level 3 §5.4, as JSON), and the value of the ceremony's cookie.
 * @throws ProblemError `not_found` where there are no passkeys, `conflict` when the person has too many
 */
export async function beginRegistration(
  dependencies: DirectoryPorts,
  person: RegisteringPerson,
): Promise<{ readonly options: object; readonly binding: string }> {
  const party = requireRelyingParty(dependencies.configuration().configuration);
  const { passkeys, directory } = dependencies.stores;
  const existing = await passkeys.listPasskeys(person.userId);
  requireRoom(existing);
  const email = (await directory.getPerson(person.userId))?.email ?? person.userId;
  const { challenge, binding } = await newChallenge(dependencies, ceremonyOf(person), person.binding);
  const options = {
    rp: { id: party.id, name: RELYING_PARTY_NAME },
    user: { id: userHandleOf(person.userId), name: email, displayName: email },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: CHALLENGE_LIFETIME,
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      type: "public-key",
      id: credentialId,
      transports,
    })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
  return { options, binding };
}

/**
 * Stores the passkey that a browser made: `{name?, response}`.
 * @throws ProblemError `invalid_field` when the answer is not good or too late, `conflict` when it is known already or the
 * person has too many, `not_found` where there are no passkeys
 */
export async function registerPasskey(
  dependencies: DirectoryPorts,
  input: unknown,
  person: RegisteringPerson,
): Promise<PasskeyRecord> {
  const party = requireRelyingParty(dependencies.configuration().configuration);
  const { name, response } = parseRegistration(input);
  if (!(await takeChallenge(dependencies, response.challenge, ceremonyOf(person), person.binding))) {
    throw refusal("answers no open challenge of this browser: it took longer than five minutes, or was sent before");
  }
  const verified = await verifyRegistration(response, party);
  if ("refused" in verified) {
    dependencies.logger.info("passkey refused", { requestId: person.requestId, reason: verified.refused });
    throw refusal("could not be verified: the device must make it for this site and check who uses it");
  }
  const { passkeys } = dependencies.stores;
  requireRoom(await passkeys.listPasskeys(person.userId));
  const passkey: PasskeyRecord = {
    ...verified,
    ...{ userId: person.userId, name, transports: response.transports },
    createdAt: dependencies.clock.now(),
  };
  const { event, recordElsewhere } = await personEvents(dependencies, person, {
    ...{ type: "passkey.added", outcome: "success" },
    details: { passkeyId: passkey.credentialId, name },
  });
  if (!(await passkeys.addPasskey(passkey, event))) {
    throw new ProblemError("conflict", "This passkey is known here already.");
  }
  await recordElsewhere();
  return passkey;
}

/**
 * Removes a passkey of the person. Nobody can sign in with it then. Sessions that began with it stay valid.
 * @throws ProblemError `not_found`, `conflict` when it is the last way to sign in
 */
export async function removePasskey(
  dependencies: DirectoryPorts,
  passkeyId: string,
  person: ActingPerson & { readonly method: SignInMethod },
): Promise<void> {
  const { passkeys } = dependencies.stores;
  const passkey = isCredentialId(passkeyId) ? await passkeys.getPasskey(passkeyId) : undefined;
  if (passkey?.userId !== person.userId) throw unknownPasskey();
  await requireAnotherSignInMethod(
    dependencies,
    person.userId,
    (method) => "credentialId" in method && method.credentialId === passkeyId,
  );
  const { event, recordElsewhere } = await personEvents(dependencies, person, {
    ...{ type: "passkey.removed", outcome: "success" },
    // Approvals look at it (D230).
    details: { passkeyId, name: passkey.name, method: person.method },
  });
  if (!(await passkeys.removePasskey(person.userId, passkeyId, event))) throw unknownPasskey();
  await recordElsewhere();
}

/** What authenticators know the person by: the id's bytes, base64url. Nothing of it tells who it is (§14.6.1). */
export function userHandleOf(userId: string): string {
  return base64url(utf8(userId));
}

function parseRegistration(input: unknown): { readonly name: string; readonly response: RegistrationResponse } {
  const fields = readFields(input, ["name", "response"]);
  const name = nameField(fields);
  const response = registrationResponse(fields, fields.object.response, "/response");
  fields.finish();
  return { name: name as string, response: response as RegistrationResponse };
}

function nameField(fields: Fields): string | undefined {
  return fields.object.name === undefined ? "Passkey" : textField(fields, "name", { min: 1, max: 100 });
}

function ceremonyOf({ userId, sessionId }: RegisteringPerson): Ceremony {
  return { kind: "registration", userId, sessionId };
}

function requireRoom(existing: readonly PasskeyRecord[]): void {
  if (existing.length < MOST_PASSKEYS) return;
  throw new ProblemError("conflict", `You have ${MOST_PASSKEYS} passkeys, which is the most: remove one first.`);
}

function refusal(detail: string): ProblemError {
  return new ProblemError("invalid_field", "The passkey was not accepted. Begin again.", {
    fields: [{ pointer: "/response", detail }],
  });
}

function unknownPasskey(): ProblemError {
  return new ProblemError("not_found", "You have no such passkey.");
}
