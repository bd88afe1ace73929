import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { activeToken } from "../../lib/authorization-server/tokens/access-token.ts";
import { askToken, codeForm, refreshForm, startChain, startWithApps, tokensOf } from "../support/chains.ts";
import { type InProcess, START } from "../support/in-process.ts";

describe("codes that come twice", () => {
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps();
  });
  afterAll(() => product.close());

  test("13. a code that is used again brings nothing and ends what it brought before", async () => {
    const { code, grant } = await startChain(product);
    const tokens = tokensOf(await askToken(product, "agent", codeForm(code)));
    expect(await activeToken(tokens.access_token, product.dependencies)).toBeDefined();
    const replay = await askToken(product, "agent", codeForm(code));
    expect(replay).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await activeToken(tokens.access_token, product.dependencies)).toBeUndefined();
    const refreshed = await askToken(product, "agent", refreshForm(tokens.refresh_token));
    expect(refreshed).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    const { auditLog } = product.dependencies.stores;
    const filter = { organizationId: undefined, type: "token.revoked" };
    const { items } = await auditLog.query(filter, { limit: 10, cursor: undefined });
    expect(items.find(({ details }) => details?.chainId === grant.chainId)).toMatchObject({
      reason: "authorization code used again",
      agent: "agent",
    });
  });

  test("13. of 20 parallel uses of a code one succeeds at most, and nothing of the chain survives", async () => {
    const { code } = await startChain(product);
    const answers = await Promise.all(Array.from({ length: 20 }, () => askToken(product, "agent", codeForm(code))));
    const successes = answers.filter(({ status }) => status === 200);
    expect(successes).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }
    for (const success of successes) {
      expect(await activeToken(tokensOf(success).access_token, product.dependencies)).toBeUndefined();
    }
  });

  test("13. a used code that comes again after its minute ends the chain, an unused one is over", async () => {
    const { code } = await startChain(product);
    const { refresh_token } = tokensOf(await askToken(product, "agent", codeForm(code)));
    const unused = await startChain(product);
    onTestFinished(() => product.clock.set(START));
    product.clock.set(START + 61_000);
    const refused = { status: 400, body: { error: "invalid_grant" } };
    expect(await askToken(product, "agent", codeForm(unused.code))).toMatchObject(refused);
    expect(await product.dependencies.stores.grants.grant(unused.grant.chainId, START + 61_000)).toBeDefined();
    expect(await askToken(product, "agent", codeForm(code, { code_verifier: "x".repeat(43) }))).toMatchObject(refused);
    const { refresh_token: next } = tokensOf(await askToken(product, "agent", refreshForm(refresh_token)));
    expect(await askToken(product, "agent", codeForm(code))).toMatchObject(refused);
    expect(await askToken(product, "agent", refreshForm(next))).toMatchObject(refused);
  });

  test("13. a replay with another verifier ends nothing", async () => {
    const { code } = await startChain(product);
    const tokens = tokensOf(await askToken(product, "agent", codeForm(code)));
    await askToken(product, "agent", codeForm(code, { code_verifier: "x".repeat(43) }));
    expect(await activeToken(tokens.access_token, product.dependencies)).toBeDefined();
  });
});
