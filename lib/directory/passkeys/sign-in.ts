import type { Dependencies } from "../../dependencies.ts";
import { readFields } from "../../fields.ts";
import { ProblemError } from "../../problem.ts";
import type { PasskeyRecord } from "../../stores/passkeys.ts";
import { personEvents } from "../person-events.ts";
import { type SignedIn, signInPerson } from "../sign-in.ts";
import { attemptOf, refusedSignInRecorder, type SignInRequest } from "../sign-in-audit.ts";
import { CHALLENGE_LIFETIME, newChallenge, takeChallenge } from "./challenge.ts";
import { userHandleOf } from "./registration.ts";
import { type RelyingParty, requireRelyingParty } from "./relying-party.ts";
import { type AuthenticationResponse, authenticationResponse, CREDENTIAL_MEMBERS } from "./responses.ts";
import { verifyAuthentication } from "./verification.ts";

/** The request, and the ceremony's cookie if the browser sent one. */
export interface PasskeySignInRequest extends SignInRequest {
  readonly binding: string | undefined;
}

/**
 * What a browser needs to ask for a passkey (WebAuthn Level 3 §5.5, as JSON): whichever of this site the person chooses, so
 * that nothing tells who has one. And the value of the ceremony's cookie.
 * @throws ProblemError `not_found` where there are no passkeys
 */
export async function beginPasskeySignIn(
  dependencies: Dependencies,
  known: string | undefined,
): Promise<{ readonly options: object; readonly binding: string }> {
  const party = requireRelyingParty(dependencies.configuration().configuration);
  const { challenge, binding } = await newChallenge(dependencies, { kind: "sign_in" }, known);
  const options = { challenge, rpId: party.id, timeout: CHALLENGE_LIFETIME, userVerification: "required" };
  return { options, binding };
}

/**
 * Signs in whoever proves to have a passkey; built once, since it bounds how many refusals are recorded. Each challenge is
 * good for one answer, whatever that is.
 * @throws ProblemError `forbidden`, `invalid_field`, `not_found` where there are no passkeys
 */
export function signInByPasskey(
  dependencies: Dependencies,
): (input: unknown, request: PasskeySignInRequest) => Promise<SignedIn> {
  const recordRefusal = refusedSignInRecorder(dependencies);
  return async (input, request) => {
    const party = requireRelyingParty(dependencies.configuration().configuration);
    const response = parseAuthentication(input);
    const attempt = attemptOf("passkey", request);
    const result = await provenPasskey(dependencies, response, party, request);
    if ("userId" in result) return signInPerson(dependencies, result.userId, attempt, request);
    dependencies.logger.info("passkey refused", { requestId: request.requestId, reason: result.reason });
    await recordRefusal(attempt);
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
  dependencies: Dependencies,
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

/** Whoever did this has the passkey: it is told where the person's own records are, beside those of strangers. */
async function recordStandingCounter(
  dependencies: Dependencies,
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
  await dependencies.stores.auditLog.append(event);
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
