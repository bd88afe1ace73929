import { describe, expect, test } from "vitest";
import {
  challengeFunction,
  challengeTemplate,
  digestOfCode,
  type EdgeHeader,
  type EdgeResponse,
} from "./support/challenge-function.ts";

const restore = challengeFunction();
const header = (key: string, value: string): Readonly<Record<string, readonly EdgeHeader[]>> => ({
  [key.toLowerCase()]: [{ key, value }],
});
const CHALLENGE =
  'Bearer error="invalid_token", resource_metadata="https://us.example/.well-known/oauth-protected-resource"';

function answer(status: number, headers: EdgeResponse["headers"]): EdgeResponse {
  return {
    status: String(status),
    statusDescription: "",
    headers: { ...header("Cache-Control", "no-store"), ...headers },
  };
}

describe("the function in front of viewers", () => {
  test.each([
    ["what a Function URL made of it", header("x-amzn-Remapped-WWW-Authenticate", CHALLENGE)],
    ["the function's own copy", header("x-countersign-challenge", CHALLENGE)],
    ["both", { ...header("x-amzn-Remapped-WWW-Authenticate", "cut"), ...header("x-countersign-challenge", CHALLENGE) }],
  ])("gives a challenge back its name: from %s", async (_, headers) => {
    expect(await restore(answer(401, headers))).toEqual(answer(401, header("WWW-Authenticate", CHALLENGE)));
  });

  test("leaves every other answer as it is", async () => {
    for (const status of [200, 202, 302, 401, 404, 503]) {
      expect(await restore(answer(status, {}))).toEqual(answer(status, {}));
    }
  });

  test("keeps each of several challenges", async () => {
    const values = ["Bearer", 'Basic realm="x"'];
    const key = "x-amzn-Remapped-WWW-Authenticate";
    const renamed = { [key.toLowerCase()]: values.map((value) => ({ key, value })) };
    const { headers } = await restore(answer(401, renamed));
    expect(headers["www-authenticate"]).toEqual(values.map((value) => ({ key: "WWW-Authenticate", value })));
  });
});

describe("its stack", () => {
  const { Resources, Outputs } = challengeTemplate();
  const version = `Version${digestOfCode()}`;

  test("has a version of exactly this code, which outlives the next one, and says its name", () => {
    expect(Object.keys(Resources)).toEqual(["Role", "Function", version]);
    expect(Resources[version]).toEqual({
      Type: "AWS::Lambda::Version",
      DeletionPolicy: "Retain",
      Properties: { FunctionName: { Ref: "Function" } },
    });
    expect(Outputs.ChallengeFunction?.Value).toEqual({ Ref: version });
  });

  test("keeps to what Lambda@Edge takes", () => {
    const { Environment, VpcConfig, Layers, Architectures, ...properties } = Resources.Function?.Properties ?? {};
    expect([Environment, VpcConfig, Layers, Architectures]).toEqual([undefined, undefined, undefined, undefined]);
    expect(properties).toMatchObject({ Runtime: "nodejs24.x", Handler: "index.handler", MemorySize: 128, Timeout: 1 });
  });

  test("lets both services run it, and it may do nothing", () => {
    const { AssumeRolePolicyDocument, ...permissions } = Resources.Role?.Properties ?? {};
    expect(permissions).toEqual({});
    expect(AssumeRolePolicyDocument).toMatchObject({
      Statement: [{ Principal: { Service: ["lambda.amazonaws.com", "edgelambda.amazonaws.com"] } }],
    });
  });
});
