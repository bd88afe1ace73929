import { expect, test } from "vitest";
import {
  addKey,
  answerOf,
  assertionParameters,
  createSigner,
  manage,
  postForm,
  requestToken,
  type Signer,
  signAssertion,
} from "../behaviour/fixture.ts";
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

  test.each(["introspect", "revoke"])(
    "8. at %s a revoked key and a deleted client are refused at once too",
    async (name) => {
      const answer = async (signer: Signer) => {
        const form = { token: "unknown", ...assertionParameters(await signAssertion(signer, context.us)) };
        return answerOf(postForm(`${context.us.url}/oauth2/${name}`, form));
      };
      for (const end of ["revoke", "delete"]) {
        const signer = await createSigner(context.owner);
        expect((await answer(signer)).status).toBe(200);
        const path = `/api-clients/${signer.clientId}`;
        const ended =
          end === "delete"
            ? await manage(context.owner, "DELETE", path)
            : await manage(context.owner, "POST", `${path}/key-pairs/${signer.key.keyPairId}/revoke`);
        expect(ended.ok).toBe(true);
        const description = end === "delete" ? "invalid client" : "invalid JWT signature";
        for (let i = 0; i < REQUESTS; i++) expect(await answer(signer)).toMatchObject(refusal(description));
      }
    },
  );

  test("8. a new key works on the very next request, whatever was cached", async () => {
    const { clientId, key } = await createSigner(context.owner);
    expect((await requestToken(context.us, { clientId, key })).status).toBe(200);
    const added = await addKey(context.owner, clientId);
    expect((await requestToken(context.us, { clientId, key: added })).status).toBe(200);
  });
}
