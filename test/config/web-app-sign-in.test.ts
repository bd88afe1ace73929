import { expect, test } from "vitest";
import { signInPaths } from "../../lib/authorization-server/sign-in-paths.ts";
import { pathProblems } from "../../lib/config/assemble/paths.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { signInEndpoints } from "../../lib/config/endpoints.ts";
import { signsInForWebApps } from "../../lib/config/oauth-features.ts";
import { inProcessConfiguration, PROVIDER } from "../support/in-process.ts";
import { CORP } from "../support/oauth-apps.ts";
import { policyOf, webApp } from "../web-apps/started.ts";

const { oidcProvider: _, ...withoutProvider } = inProcessConfiguration;
const WITHOUT: Configuration = {
  ...{ ...withoutProvider, publicURL: "https://example.com" },
  ...{ connectors: [CORP], apps: [webApp("pay", undefined)] },
};

test("without an authorization server people sign in below the public URL", () => {
  expect(signInEndpoints(WITHOUT)).toEqual({
    origin: "https://example.com",
    callback: "https://example.com/oauth2/callback",
    endSession: "https://example.com/oauth2/logout",
    appSignIn: "https://example.com/.countersign/sign-in",
  });
  expect(signInPaths(WITHOUT)).toEqual({
    ...{ callbacks: ["/oauth2/callback"], endSession: "/oauth2/logout", signedOut: [] },
  });
});

test("with one they sign in where it says", () => {
  const endpoints = {
    ...PROVIDER.endpoints,
    callback: "https://auth.example/back",
    endSession: "https://auth.example/out",
  };
  const oidcProvider = { ...PROVIDER, issuer: "https://auth.example", endpoints };
  expect(signInEndpoints({ ...WITHOUT, oidcProvider })).toEqual({
    origin: "https://auth.example",
    callback: "https://auth.example/back",
    endSession: "https://auth.example/out",
    appSignIn: "https://auth.example/.countersign/sign-in",
  });
});

test.each<[string, Partial<Configuration>, boolean]>([
  ["names a connector", {}, true],
  ["names one that is not there", { connectors: [] }, false],
  ["names none", { apps: [webApp("pay", undefined, { policies: [policyOf([])] })] }, false],
])("a web app whose policy %s signs people in, or not", (_, change, expected) => {
  expect(signsInForWebApps({ ...WITHOUT, ...change })).toBe(expected);
});

test.each([
  ["/.countersign/sign-in", 1],
  ["/.countersign/login", 1],
  ["/.countersign/signed-in", 1],
  ["/oauth2/callback", 1],
  ["/oauth2/logout", 1],
  ["/status", 0],
])("no other endpoint can be at %s where people sign in for web apps", (location, expected) => {
  const health = { ...WITHOUT.health, location };
  const shown = (_: unknown, value: string) => value;
  expect(pathProblems({ ...WITHOUT, health }, shown)).toHaveLength(expected);
  expect(pathProblems({ ...WITHOUT, health, apps: [] }, shown)).toHaveLength(0);
});
