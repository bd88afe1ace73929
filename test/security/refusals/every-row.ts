import { beforeAll, describe, expect, test } from "vitest";
import {
  addKey,
  assertionParameters,
  createClient,
  createSigner,
  manage,
  postForm,
  setUpOwner,
  signAssertion,
  tokenEndpointOf,
  tokenParameters,
} from "../../behaviour/fixture.ts";
import type { SecurityContext } from "../context.ts";
import { badAudience, badClaims, expired } from "./claims.ts";
import {
  correctForm,
  invalidRequest,
  otherGrant,
  tooLarge,
  twoAuthentications,
  unauthenticated,
  unsupportedGrant,
} from "./requests.ts";
import type { RefusalContext } from "./row.ts";
import { badSignature } from "./signatures.ts";
import { unknownClient } from "./unknown-client.ts";
import { unparsable } from "./unparsable.ts";

const ASSERTION_ROWS = [unparsable, unknownClient, badSignature, badAudience, expired, badClaims];
const REQUEST_ROWS = [invalidRequest, twoAuthentications, tooLarge, unsupportedGrant, unauthenticated, otherGrant];

/** Every row of D7 to the letter: status, the whole body, headers. */
export function everyRefusal(context: SecurityContext): void {
  let others: RefusalContext;
  beforeAll(async () => {
    others = await addClients(context);
  });

  describe.each(ASSERTION_ROWS)("an assertion is refused with “$description”", ({ description, cases }) => {
    const wanted = { status: 400, error: "invalid_client", description };

    test.each(cases)("%s", async (_, assertion) => {
      const form = tokenParameters(await assertion(others));
      await expectRefusal(await postForm(tokenEndpointOf(context.us), form), wanted);
    });

    test.each(["introspect", "revoke"])("at %s too, in every case", async (endpoint) => {
      for (const [, assertion] of cases) {
        const form = { token: "unknown", ...assertionParameters(await assertion(others)) };
        await expectRefusal(await postForm(`${context.us.url}/oauth2/${endpoint}`, form), wanted);
      }
    });
  });

  test.each(["token", "introspect", "revoke"])(
    "at %s an assertion is refused with “replayed JWT”",
    async (endpoint) => {
      const form = tokenParameters(await signAssertion(context.signer, context.us), { token: "unknown" });
      const url = `${context.us.url}/oauth2/${endpoint}`;
      expect((await postForm(url, form)).status).toBe(200);
      const wanted = { status: 400, error: "invalid_client", description: "replayed JWT" };
      for (let i = 0; i < 2; i++) await expectRefusal(await postForm(url, form), wanted);
    },
  );

  test("a client_id that differs from sub is refused with “invalid client”", async () => {
    const form = { ...(await correctForm(context)), client_id: others.other.clientId };
    const wanted = { status: 400, error: "invalid_client", description: "invalid client" };
    await expectRefusal(await postForm(tokenEndpointOf(context.us), form), wanted);
  });

  describe.each(REQUEST_ROWS)(
    "a request is refused with $status $error and the description “$description”",
    ({ cases, ...wanted }) => {
      test.each(cases)("%s", async (_, request) => {
        const { form, headers } = request(await correctForm(context));
        await expectRefusal(await postForm(tokenEndpointOf(context.us), form, headers), wanted);
      });
    },
  );
}

interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly description?: string;
}

async function expectRefusal(response: Response, { status, error, description }: Refusal): Promise<void> {
  const body = JSON.stringify({ error, ...(description !== undefined && { error_description: description }) });
  const { headers } = response;
  const received = {
    status: response.status,
    body: await response.text(),
    type: headers.get("Content-Type"),
    cache: [headers.get("Cache-Control"), headers.get("Pragma")],
    challenge: headers.get("WWW-Authenticate"),
    requestId: headers.get("X-Request-Id"),
  };
  expect(received).toEqual({
    status,
    body,
    type: "application/json",
    cache: ["no-store", "no-cache"],
    challenge: status === 401 ? 'Basic realm="countersign", charset="UTF-8"' : null,
    requestId: expect.stringMatching(/^[0-9A-Z]{26}$/),
  });
}

async function addClients(context: SecurityContext): Promise<RefusalContext> {
  const { owner } = context;
  const [deleted, revoked, other] = await Promise.all([1, 2, 3].map(() => createSigner(owner)));
  if (deleted === undefined || revoked === undefined || other === undefined) throw new Error("there are three");
  await succeed(manage(owner, "DELETE", `/api-clients/${deleted.clientId}`));
  const kept = { clientId: revoked.clientId, key: await addKey(owner, revoked.clientId) };
  const path = `/api-clients/${revoked.clientId}/key-pairs/${revoked.key.keyPairId}/revoke`;
  await succeed(manage(owner, "POST", path));
  const keyless = { clientId: await createClient(owner), key: other.key };
  const foreign = await createSigner(await setUpOwner(context.uk));
  return { ...context, deleted, revoked, kept, keyless, foreign, other };
}

async function succeed(response: Promise<Response>): Promise<void> {
  const { ok, body } = await response;
  await body?.cancel();
  expect(ok).toBe(true);
}
