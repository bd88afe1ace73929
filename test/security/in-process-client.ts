import { importPKCS8 } from "jose";
import { addKeyPair } from "../../lib/api-clients/key-pairs.ts";
import {
  type Answer,
  type AssertionOverrides,
  answerOf,
  type Parameters,
  type Signer,
  signAssertion,
  tokenParameters,
} from "../behaviour/fixture.ts";
import { type InProcess, ISSUER, type TestClient } from "../support/in-process.ts";

/** A client of the product in this process, ready to sign. */
export async function signerOf({ clientId, keyPairId, privateKeyPem }: TestClient): Promise<Signer> {
  const privateKey = await importPKCS8(privateKeyPem, "ES256", { extractable: true });
  return { clientId, key: { keyPairId, fingerprint: "", pem: privateKeyPem, privateKey } };
}

/** A further key of the client. */
export async function addedSigner(product: InProcess, { clientId, organizationId }: TestClient): Promise<Signer> {
  const actor = { id: "operator:test", organizationId };
  const { keyPair, privateKeyPem = "" } = await addKeyPair(product.dependencies, actor, { clientId });
  return signerOf({ clientId, organizationId, keyPairId: keyPair.keyPairId, privateKeyPem });
}

/** An assertion whose times are those of the product's clock. */
export function assertionNow(product: InProcess, signer: Signer, { claims, header }: AssertionOverrides = {}) {
  const now = Math.floor(product.clock.now() / 1000);
  return signAssertion(
    signer,
    { url: ISSUER },
    { claims: { iat: now, exp: now + 60, ...claims }, ...(header && { header }) },
  );
}

export function sendForm(
  product: InProcess,
  path: string,
  form: Parameters | string,
  source?: string,
): Promise<Answer> {
  const body = typeof form === "string" ? form : new URLSearchParams(form).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  return answerOf(product.send(path, { method: "POST", headers, body }, source));
}

/** The token endpoint's answer to the assertion. */
export function sendAssertion(product: InProcess, assertion: string, source?: string): Promise<Answer> {
  return sendForm(product, "/oauth2/token", tokenParameters(assertion), source);
}
