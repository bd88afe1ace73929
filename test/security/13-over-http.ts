import { expect, test } from "vitest";
import { answerOf, basic, type Parameters, postForm, tokenEndpointOf } from "../behaviour/fixture.ts";
import type { RunningRegion } from "../support/runtime.ts";

/** What the tests of codes and refresh tokens need of a running region. Read it inside tests only. */
export interface CodeContext {
  readonly us: RunningRegion;
  readonly client: { readonly clientId: string; readonly secret: string };
  /** A person signs in: the rest of the form that the code brings tokens with. */
  newCode(): Promise<Parameters>;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

const NOTHING: Tokens = { access_token: "", refresh_token: "" };
const PARALLEL = 20;
const INVALID = { status: 400, body: { error: "invalid_grant" } };

/** Codes and refresh tokens that come more than once, at the same time and later, over HTTP. */
export function codesAndRefreshTokens(context: CodeContext): void {
  const ask = (form: Parameters) => answerOf(postForm(tokenEndpointOf(context.us), form, basic(context.client)));
  const refresh = (refresh_token: string) => ask({ grant_type: "refresh_token", refresh_token });
  const isActive = async (access_token: string) => {
    const headers = { Authorization: `Bearer ${access_token}` };
    return (await answerOf(fetch(`${context.us.url}/oauth2/userinfo`, { headers }))).status === 200;
  };

  test("13. of 20 parallel uses of a code one succeeds, and its tokens end with the others", async () => {
    const form = { grant_type: "authorization_code", ...(await context.newCode()) };
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => ask(form)));
    const successes = answers.filter(({ status }) => status === 200);
    expect(successes).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(INVALID);
    const [{ access_token, refresh_token } = NOTHING] = successes.map(({ body }) => body as Tokens);
    expect(await isActive(access_token)).toBe(false);
    expect(await refresh(refresh_token)).toMatchObject(INVALID);
  });

  test("13. a code that comes again later ends what it brought", async () => {
    const form = { grant_type: "authorization_code", ...(await context.newCode()) };
    const { access_token } = (await ask(form)).body as Tokens;
    expect(await isActive(access_token)).toBe(true);
    const wrong = await ask({ ...form, code_verifier: "x".repeat(43) });
    expect(wrong).toMatchObject(INVALID);
    expect(await isActive(access_token)).toBe(true);
    expect(await ask(form)).toMatchObject(INVALID);
    expect(await isActive(access_token)).toBe(false);
  });

  test("15. parallel refreshes get one successor, and access tokens that all work", async () => {
    const form = { grant_type: "authorization_code", ...(await context.newCode()) };
    const first = (await ask(form)).body as Tokens;
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => refresh(first.refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const successors = new Set(answers.map(({ body }) => (body as Tokens).refresh_token));
    expect(successors.size).toBe(1);
    const [second = ""] = successors;
    const third = (await refresh(second)).body as Tokens;
    for (const { access_token } of [...answers.map(({ body }) => body as Tokens), third]) {
      expect(await isActive(access_token)).toBe(true);
    }
  });
}
