import { expect, test } from "vitest";
import { refusal, type SecurityContext, tokenAnswer } from "./context.ts";

export function audience(context: SecurityContext): void {
  const refused: [string, (context: SecurityContext) => unknown][] = [
    ["an array of the token endpoint", ({ us }) => [`${us.url}/oauth2/token`]],
    ["an array of the issuer", ({ us }) => [us.url]],
    ["an array of issuer and another", ({ us }) => [us.url, "https://elsewhere.example"]],
    ["an empty array", () => []],
    ["an empty string", () => ""],
    ["an object", ({ us }) => ({ url: us.url })],
    ["the token endpoint of another region", ({ uk }) => `${uk.url}/oauth2/token`],
    ["the issuer of another region", ({ uk }) => uk.url],
    ["the token endpoint with a trailing slash", ({ us }) => `${us.url}/oauth2/token/`],
    ["the issuer with a trailing slash", ({ us }) => `${us.url}/`],
    ["the token endpoint with an upper-cased scheme", ({ us }) => `${us.url.replace("http", "HTTP")}/oauth2/token`],
    ["the token endpoint with an upper-cased path", ({ us }) => `${us.url}/OAUTH2/token`],
    ["the introspection endpoint", ({ us }) => `${us.url}/oauth2/introspect`],
  ];
  test.each(refused)("1. aud is %s: refused", async (_, aud) => {
    expect(await tokenAnswer(context, { claims: { aud: aud(context) } })).toMatchObject(
      refusal("invalid JWT audience"),
    );
  });
}
