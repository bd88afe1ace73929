import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activeToken } from "../../lib/authorization-server/tokens/access-token.ts";
import { askToken, postTo, refreshForm, signedIn, startWithApps, tokensOf } from "../support/chains.ts";
import type { InProcess } from "../support/in-process.ts";

const GRACE = 10_000;
const INVALID = { status: 400, body: { error: "invalid_grant" } };

describe("refresh tokens", () => {
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps();
  });
  afterAll(() => product.close());

  const refresh = (refreshToken: string) => askToken(product, "agent", refreshForm(refreshToken));
  const later = (milliseconds: number) => product.clock.set(product.clock.now() + milliseconds);
  const isActive = async (text: string) => (await activeToken(text, product.dependencies)) !== undefined;

  test("15. whoever lost the answer gets the same successor within the grace, with an access token that works", async () => {
    const first = await signedIn(product);
    const lost = tokensOf(await refresh(first.refresh_token));
    later(GRACE - 1);
    const repeated = tokensOf(await refresh(first.refresh_token));
    expect(repeated.refresh_token).toBe(lost.refresh_token);
    expect(repeated.access_token).not.toBe(lost.access_token);
    for (const { access_token } of [lost, repeated]) expect(await isActive(access_token)).toBe(true);
    expect((await refresh(repeated.refresh_token)).status).toBe(200);
  });

  test("15. after the grace its reuse ends the chain, the newest token included", async () => {
    const first = await signedIn(product);
    const second = tokensOf(await refresh(first.refresh_token));
    later(GRACE + 1);
    expect(await refresh(first.refresh_token)).toMatchObject(INVALID);
    expect(await refresh(second.refresh_token)).toMatchObject(INVALID);
    for (const { access_token } of [first, second]) expect(await isActive(access_token)).toBe(false);
  });

  test("15. so does a token of long before, whose successors were used in the right order", async () => {
    const first = await signedIn(product);
    const second = tokensOf(await refresh(first.refresh_token));
    const third = tokensOf(await refresh(second.refresh_token));
    later(GRACE + 1);
    expect(await refresh(first.refresh_token)).toMatchObject(INVALID);
    expect(await refresh(third.refresh_token)).toMatchObject(INVALID);
  });

  test("15. of 20 parallel refreshes all get the one successor", async () => {
    const first = await signedIn(product);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(first.refresh_token)));
    const successors = new Set(answers.map((answer) => tokensOf(answer).refresh_token));
    expect(successors.size).toBe(1);
  });

  test("15. another client can neither use a refresh token nor end its chain", async () => {
    const first = await signedIn(product);
    const form = refreshForm(first.refresh_token, { client_id: "public-agent" });
    expect(await postTo(product, "/oauth2/token", form)).toMatchObject(INVALID);
    expect((await refresh(first.refresh_token)).status).toBe(200);
  });

  test("15. a consent that was taken back ends its refresh tokens at once", async () => {
    const first = await signedIn(product, { subject: "user_somebody-else" });
    const { stores, clock } = product.dependencies;
    const event = {
      id: "01J0000000000000000000000A",
      time: clock.now(),
      type: "consent.revoked",
      outcome: "success",
    } as const;
    expect(await stores.grants.revokeConsent("user_somebody-else", "agent", event)).toBe(true);
    expect(await refresh(first.refresh_token)).toMatchObject(INVALID);
    expect(await isActive(first.access_token)).toBe(false);
  });

  test("15. a refresh token is refused as anything else, and anything else as a refresh token", async () => {
    const { access_token, refresh_token, id_token } = await signedIn(product);
    for (const other of [access_token, id_token, refresh_token.replace("csr_", "cst_"), "x"]) {
      expect(await refresh(other)).toMatchObject(INVALID);
    }
    expect(await isActive(refresh_token)).toBe(false);
    expect(await isActive(id_token)).toBe(false);
  });
});
