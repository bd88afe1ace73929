import { base64url, fromBase64url } from "../../kernel/encoding.ts";
import type { PasskeyRecord } from "../../stores/passkeys.ts";
import type { RelyingParty } from "./ceremony.ts";
import type { AuthenticationResponse, RegistrationResponse } from "./responses.ts";

/** COSE algorithms of passkeys (RFC 9053, RFC 8812): EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257];

export type NewCredential = Pick<
  PasskeyRecord,
  "credentialId" | "publicKey" | "counter" | "backupEligible" | "backedUp"
>;

/** Why an answer is refused, for the log only. */
export interface Refused {
  readonly refused: string;
}

/**
 * Verifies a registration and returns the new passkey (WebAuthn Level 3 §7.1). The challenge is the one of the answer; the caller
 * has found it and used it up. We ask for no attestation and accept only that of the passkey itself, so no foreign certificate
 * is parsed.
 */
export async function verifyRegistration(
  { credentialId: id, clientDataJSON, challenge, isCrossOrigin, ...response }: RegistrationResponse,
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
): Promise<NewCredential | Refused> {
  if (isCrossOrigin) return FROM_A_FRAME;
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { attestationObject } = response;
  return refusing(async () => {
    if (!(await isOwnAttestation(attestationObject))) return { refused: "attestation that was not asked for" };
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
        response: { clientDataJSON, attestationObject },
      },
      ...{ expectedChallenge: challenge, expectedOrigin, expectedRPID },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return BAD_SIGNATURE;
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
    if (credential.id !== id) return { refused: "the id is not the one that the authenticator signed" };
    return {
      credentialId: id,
      publicKey: base64url(credential.publicKey),
      counter: credential.counter,
      backupEligible: credentialDeviceType === "multiDevice",
      backedUp: credentialBackedUp,
    };
  });
}

/** Verifies the signature of a use (WebAuthn Level 3 §7.2). The caller compares the counter. */
export async function verifyAuthentication(
  { credentialId: id, clientDataJSON, challenge, isCrossOrigin, ...response }: AuthenticationResponse,
  passkey: Pick<PasskeyRecord, "publicKey" | "backupEligible">,
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
): Promise<Pick<PasskeyRecord, "counter" | "backedUp"> | Refused> {
  if (isCrossOrigin) return FROM_A_FRAME;
  const publicKey = fromBase64url(passkey.publicKey);
  if (publicKey === undefined) return { refused: "the stored key is not base64url" };
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  return refusing(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
        response: { clientDataJSON, ...response },
      },
      ...{ expectedChallenge: challenge, expectedOrigin, expectedRPID },
      // The library compares the counter before it checks the signature: anybody could claim a low one.
      credential: { id, publicKey, counter: 0 },
    });
    if (!verified) return BAD_SIGNATURE;
    const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
    if ((credentialDeviceType === "multiDevice") !== passkey.backupEligible) {
      return { refused: "backup eligibility is not what it was" };
    }
    return { counter: newCounter, backedUp: credentialBackedUp };
  });
}

/** `none`, or signed by the new key itself. */
async function isOwnAttestation(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const attestation = decodeAttestationObject(fromBase64url(attestationObject) ?? new Uint8Array());
  const format = attestation.get("fmt");
  return format === "none" || (format === "packed" && attestation.get("attStmt").get("x5c") === undefined);
}

/** Every error of the library is a fault of the answer, because nothing else in its input varies. */
async function refusing<Result>(work: () => Promise<Result | Refused>): Promise<Result | Refused> {
  try {
    return await work();
  } catch (error) {
    return { refused: error instanceof Error ? error.message.slice(0, 200) : "not understood" };
  }
}

const FROM_A_FRAME: Refused = { refused: "it came from a frame on another site's page" };
const BAD_SIGNATURE: Refused = { refused: "the signature is not good" };
