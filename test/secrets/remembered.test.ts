import { describe, expect, test } from "vitest";
import { REDACTED } from "../../lib/logging/redaction.ts";
import { secretValues } from "../../lib/logging/secret-values.ts";
import { rememberedSecrets } from "../../lib/secrets/open.ts";
import type { SecretProvider } from "../../lib/secrets/provider.ts";
import { credentialsIn } from "../../lib/secrets/provider-url.ts";

/** Gives each reference the values one after the other. */
function changing(values: Readonly<Record<string, string[]>>): SecretProvider {
  return { get: async (reference) => values[reference]?.shift() ?? "" };
}

describe("the secrets that a logger removes by value", () => {
  test("are the credentials, and of each secret the value in use and the one before", async () => {
    const secrets = rememberedSecrets(changing({ "a.b": ["one", "one", "two", "three"], "c.d": ["four"] }), ["token"]);
    expect([...secrets.values()]).toEqual(["token"]);
    await secrets.get("c.d");
    for (let i = 0; i < 3; i++) await secrets.get("a.b");
    expect(new Set(secrets.values())).toEqual(new Set(["token", "four", "two", "one"]));
    await secrets.get("a.b");
    expect(new Set(secrets.values())).toEqual(new Set(["token", "four", "three", "two"]));
  });

  test("a listener is told what is known, and each new value before whoever asked for it", async () => {
    const secrets = rememberedSecrets(changing({ "a.b": ["one", "one", "two", ""] }), ["token"]);
    const heard: string[] = [];
    secrets.onValue((value) => heard.push(value));
    for (const value of ["one", "one", "two", ""]) {
      expect(await secrets.get("a.b")).toBe(value);
      if (value !== "") expect(heard).toContain(value);
    }
    expect(heard).toEqual(["token", "token", "one", "token", "two", "one"]);
  });

  test("a listener that forgets what it has not heard for long knows the credentials after any number of new values", async () => {
    const values = Array.from({ length: 3_000 }, (_, index) => `value-number-${index}`);
    const known = secretValues();
    const secrets = rememberedSecrets(changing({ "a.b": [...values] }), ["the-credential"]);
    secrets.onValue(known.add);
    for (const _ of values) await secrets.get("a.b");
    expect(known.redact("the-credential value-number-2999 value-number-2998")).toBe(
      `${REDACTED} ${REDACTED} ${REDACTED}`,
    );
    expect(new Set(secrets.values()).size).toBe(3);
  });
});

describe("the credentials in a provider's URL", () => {
  test.each([
    ["hashivault://h/secret/a?token=hvs.x&namespace=n", ["hvs.x"]],
    ["hashivault://h/secret/a?roleID=r&secretID=a+b%2Fc", ["a+b%2Fc", "a+b/c"]],
    ["awssecretsmanager://amazonaws.com?region=r&accessKeyID=AKID&secretAccessKey=s", ["AKID", "s"]],
    ["azurekeyvault://v?tenantID=t&clientID=c&clientSecret=s", ["s"]],
    ["conjur://h/account/host%2Flogin?apikey=k", ["k"]],
    ["delinea://h?username=u&password=p", ["p"]],
    ["cyberarkccp://h?appID=a&safe=s&certFile=/c.pem&keyFile=/k.pem", []],
    ["hashivault://h/secret/a?token=a%zz&token=b", ["a%zz", "b"]],
    ["hashivault://h/secret/a?token=a?b", ["a?b"]],
    ["hashivault://h/secret/a?token=", []],
    ["env://CS_", []],
    ["no URL", []],
  ])("%s: %j", (url, credentials) => {
    expect(credentialsIn(url)).toEqual(credentials);
  });
});
