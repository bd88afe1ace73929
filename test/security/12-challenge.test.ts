import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorizationURL, CHALLENGE, type SignInStarted, startSignIn, VERIFIER } from "../oauth/authorize/started.ts";

describe("PKCE at the authorization endpoint", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn();
  });
  afterAll(() => started.stop());

  test.each([
    ["no challenge", { code_challenge: undefined }],
    ["no challenge and no method", { code_challenge: undefined, code_challenge_method: undefined }],
    ["no method, which would mean plain", { code_challenge_method: undefined }],
    ["the method plain", { code_challenge: VERIFIER, code_challenge_method: "plain" }],
    ["the method in lower case", { code_challenge_method: "s256" }],
    ["an empty challenge", { code_challenge: "" }],
    ["a challenge that is too short", { code_challenge: CHALLENGE.slice(1) }],
    ["a challenge that is no base64url", { code_challenge: `${CHALLENGE.slice(1)}=` }],
  ])("12. with %s nothing begins", async (_, changes) => {
    const { url, way } = await started.newBrowser().open(authorizationURL(changes));
    expect(url.searchParams.get("error")).toBe("invalid_request");
    expect(way).toHaveLength(2);
  });
});
