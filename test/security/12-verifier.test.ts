import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askToken, codeForm, postTo, startChain, startWithApps, VERIFIER } from "../support/chains.ts";
import type { InProcess } from "../support/in-process.ts";
import { REDIRECT } from "../support/oauth-apps.ts";

describe("what a code is bound to", () => {
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps();
  });
  afterAll(() => product.close());

  test.each([
    ["no verifier", { code_verifier: "" }],
    ["one of 42 characters", { code_verifier: VERIFIER.slice(0, 42) }],
    ["one of 129 characters", { code_verifier: "v".repeat(129) }],
    ["one with a reserved character", { code_verifier: `${VERIFIER}+` }],
  ])("12. with %s the request is refused before anything is looked at", async (_, more) => {
    const { code } = await startChain(product);
    const answer = await askToken(product, "agent", codeForm(code, more));
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect((await askToken(product, "agent", codeForm(code))).status).toBe(200);
  });

  test("12. the challenge itself is no verifier, and a wrong one does not use the code up", async () => {
    const { code } = await startChain(product);
    for (const code_verifier of ["x".repeat(43), VERIFIER.toUpperCase(), VERIFIER.padEnd(60, "~")]) {
      expect((await askToken(product, "agent", codeForm(code, { code_verifier }))).body).toMatchObject(INVALID);
    }
    expect((await askToken(product, "agent", codeForm(code))).status).toBe(200);
  });

  test.each([
    ["another redirect", { redirect_uri: "https://agent.example/other" }],
    ["the redirect with a slash", { redirect_uri: `${REDIRECT}/` }],
    ["no redirect", { redirect_uri: "" }],
  ])("12. with %s it is the same refusal, and the code stays", async (_, more) => {
    const { code } = await startChain(product);
    expect((await askToken(product, "agent", codeForm(code, more))).body).toMatchObject(INVALID);
    expect((await askToken(product, "agent", codeForm(code))).status).toBe(200);
  });

  test("12. another client cannot use a code, nor use it up", async () => {
    const { code } = await startChain(product);
    const form = codeForm(code, { client_id: "public-agent" });
    const stolen = await postTo(product, "/oauth2/token", form);
    expect(stolen).toMatchObject({ status: 400, body: INVALID });
    expect((await askToken(product, "agent", codeForm(code))).status).toBe(200);
  });

  test("12. a confidential client does not pass by its client_id", async () => {
    const { code } = await startChain(product);
    const answer = await postTo(product, "/oauth2/token", codeForm(code, { client_id: "agent" }));
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_client" } });
  });

  test("12. unknown, expired, used and foreign codes are one and the same answer", async () => {
    const used = (await startChain(product)).code;
    await askToken(product, "agent", codeForm(used));
    const foreign = (await startChain(product, { clientId: "public-agent" })).code;
    const expired = (await startChain(product)).code;
    product.clock.set(product.clock.now() + 60_000);
    const mistyped = `${expired.slice(0, -1)}${expired.endsWith("0") ? "1" : "0"}`;
    const bodies = [];
    for (const code of [used, foreign, expired, mistyped, "x", expired.replace("csc_", "csr_")]) {
      bodies.push((await askToken(product, "agent", codeForm(code))).body);
    }
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect(bodies[0]).toMatchObject(INVALID);
  });
});

const INVALID = { error: "invalid_grant" };
