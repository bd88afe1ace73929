import { expect, test } from "vitest";
import { addKey, answerOf, createSigner, manage, requestToken, type Signer } from "../behaviour/fixture.ts";
import { refusal, type SecurityContext } from "./context.ts";

/** Enough for every lane of a client to be asked. */
const REQUESTS = 32;

export function revocation(context: SecurityContext): void {
  const answers = (signer: Signer) =>
    Promise.all(Array.from({ length: REQUESTS }, () => answerOf(requestToken(context.us, signer))));

  test("8. a revoked key is refused on the very next request, whatever was cached", async () => {
    const { clientId, key } = await createSigner(context.owner);
    const kept: Signer = { clientId, key: await addKey(context.owner, clientId) };
    for (const { status } of await answers({ clientId, key })) expect(status).toBe(200);
    const path = `/api-clients/${clientId}/key-pairs/${key.keyPairId}/revoke`;
    expect((await manage(context.owner, "POST", path)).status).toBe(200);
    for (const answer of await answers({ clientId, key })) {
      expect(answer).toMatchObject(refusal("invalid JWT signature"));
    }
    expect((await requestToken(context.us, kept)).status).toBe(200);
  });

  test("8. a deleted client is refused on the very next request, whatever was cached", async () => {
    const signer = await createSigner(context.owner);
    for (const { status } of await answers(signer)) expect(status).toBe(200);
    expect((await manage(context.owner, "DELETE", `/api-clients/${signer.clientId}`)).status).toBe(204);
    for (const answer of await answers(signer)) expect(answer).toMatchObject(refusal("invalid client"));
  });

  test("8. a new key works on the very next request, whatever was cached", async () => {
    const { clientId, key } = await createSigner(context.owner);
    expect((await requestToken(context.us, { clientId, key })).status).toBe(200);
    const added = await addKey(context.owner, clientId);
    expect((await requestToken(context.us, { clientId, key: added })).status).toBe(200);
  });
}
