import { readFields } from "../../kernel/fields.ts";
import { ProblemError } from "../../kernel/problem.ts";
import type { PasskeyRecord } from "../../stores/passkeys.ts";
import { personEvents } from "../audit-events.ts";
import type { DirectoryPorts } from "../ports.ts";
import { type SignedIn, signInPerson } from "../sign-in.ts";
import { attemptOf, recordRefusedSignIn, type SignInRequest } from "../sign-in-audit.ts";
import { CHALLENGE_LIFETIME, newChallenge, type RelyingParty, requireRelyingParty, takeChallenge } from "./ceremony.ts";
import { userHandleOf } from "./own-passkeys.ts";
import { type AuthenticationResponse, authenticationResponse, CREDENTIAL_MEMBERS } from "./responses.ts";
import { verifyAuthentication } from "./verification.ts";

/** The request, and the ceremony's cookie if the browser sent one. */
export interface PasskeySignInRequest extends SignInRequest {
  readonly binding: string | undefined;
}

/**
 * The browser's options for a passkey sign-in (WebAuthn Level 3 §5.5, as JSON), and the value of the ceremony's cookie. The
 * person chooses any passkey of this site, so the options do not reveal who has one.
 * @throws ProblemError `not_found` where there are no passkeys
 */
export async function beginPasskeySignIn(
  dependencies: DirectoryPorts,
  known: string | undefined,
): Promise<{ readonly options: object; readonly binding: string }> {
  const party = requireRelyingParty(dependencies.configuration().configuration);
  const { challenge, binding } = await newChallenge(dependencies, { kind: "sign_in" }, known);
  const options = { challenge, rpId: party.id, timeout: CHALLENGE_LIFETIME, userVerification: "required" };
  return { options, binding };
}

/**
 * Signs in the person of a passkey. Each challenge accepts one answer, good or bad.
 * @throws ProblemError `forbidden`, `invalid_field`, `not_found` where there are no passkeys
 */
export function signInByPasskey(
  dependencies: DirectoryPorts,
): (input: unknown, request: PasskeySignInRequest) => Promise<SignedIn> {
  return async (input, request) => {
    const party = requireRelyingParty(dependencies.configuration().configuration);
    const response = parseAuthentication(input);
    const attempt = attemptOf("passkey", request);
    const result = await provenPasskey(dependencies, response, party, request);
    if ("userId" in result) return signInPerson(dependencies, result.userId, attempt, request);
    dependencies.logger.info("passkey refused", { requestId: request.requestId, reason: result.reason });
    await recordRefusedSignIn(dependencies, attempt);
    throw new ProblemError("forbidden", result.told);
  };
}

interface Refusal {
  /** For the person. */
  readonly told: string;
  /** For the log. */
  readonly reason: string;
}

async function provenPasskey(
  dependencies: DirectoryPorts,
  response: AuthenticationResponse,
  party: RelyingParty,
  { binding, requestId }: PasskeySignInRequest,
): Promise<PasskeyRecord | Refusal> {
  const { passkeys } = dependencies.stores;
  if (!(await takeChallenge(dependencies, response.challenge, { kind: "sign_in" }, binding))) {
    return { told: TOO_LATE, reason: "no open challenge of this browser" };
  }
  const passkey = await passkeys.getPasskey(response.credentialId);
  if (passkey === undefined || userHandleOf(passkey.userId) !== response.userHandle) {
    return { told: UNKNOWN, reason: passkey === undefined ? "unknown" : "another person's" };
  }
  const verified = await verifyAuthentication(response, passkey, party);
  if ("refused" in verified) return { told: NOT_VERIFIED, reason: verified.refused };
  const { counter, backedUp } = verified;
  const hasGrown = counter > passkey.counter || (counter === 0 && passkey.counter === 0);
  const use = { credentialId: passkey.credentialId, formerCounter: passkey.counter, counter, backedUp };
  if (hasGrown && (await passkeys.notePasskeyUse({ ...use, usedAt: dependencies.clock.now() }))) return passkey;
  await recordStandingCounter(dependencies, passkey, requestId);
  return { told: COPIED, reason: "the counter has not grown" };
}

/** The sender has the passkey, so the refusal is also recorded in the person's organizations. */
async function recordStandingCounter(
  dependencies: DirectoryPorts,
  { userId, credentialId }: PasskeyRecord,
  requestId: string,
): Promise<void> {
  const { event, recordElsewhere } = await personEvents(
    dependencies,
    { userId, requestId },
    {
      ...{ type: "sign_in.refused", outcome: "refused", reason: "the passkey's counter has not grown" },
      details: { method: "passkey", passkeyId: credentialId },
    },
  );
  await dependencies.refusals.record(event);
  await recordElsewhere();
}

function parseAuthentication(input: unknown): AuthenticationResponse {
  const fields = readFields(input, CREDENTIAL_MEMBERS);
  const response = authenticationResponse(fields, fields.object, "");
  fields.finish();
  return response as AuthenticationResponse;
}

const TOO_LATE = "The sign-in took longer than five minutes, began in another browser, or was sent before. Try again.";
const UNKNOWN = "This passkey is not known here. It may have been removed: try another one.";
const NOT_VERIFIED = "The passkey could not be verified. Try again.";
const COPIED = "The passkey was not accepted: it may have been copied, or was used elsewhere at the same moment.";
