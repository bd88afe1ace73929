import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSecrets } from "../../infra/node/secrets.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { HOSTED_OPENERS, NODE_OPENERS } from "../../lib/secrets/hosted-openers.ts";
import { openSecretProvider } from "../../lib/secrets/open.ts";
import { PORTABLE_OPENERS, SCHEMES } from "../../lib/secrets/openers.ts";

async function secretFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-secrets-"));
  await writeFile(join(folder, "key.pem"), "from a file\n");
  await writeFile(join(folder, "secrets.yaml"), text);
  return `secretfile://${join(folder, "secrets.yaml")}`;
}

describe("the secret provider", () => {
  test("comes from the flag or from the variable", async () => {
    const environment = { CS_A_B: "x", SVC_SECRET_PROVIDER: "env://CS_" };
    expect(await (await openSecrets(undefined, environment)).get("a.b")).toBe("x");
    expect(await (await openSecrets("env://CS_", { CS_A_B: "x" })).get("a.b")).toBe("x");
    expect(await (await openSecrets("env://CS_", environment)).get("a.b")).toBe("x");
  });

  test("two different ones are an error", async () => {
    const opening = openSecrets("env://A_", { SVC_SECRET_PROVIDER: "env://B_" });
    await expect(opening).rejects.toThrow("-secretProvider and SVC_SECRET_PROVIDER name different secret providers");
  });

  test("without one, the error names both ways and the reference", async () => {
    const secrets = await openSecrets(undefined, {});
    await expect(secrets.get("a.b")).rejects.toThrow(
      "the secret <a.b> needs a secret provider; name one with -secretProvider or SVC_SECRET_PROVIDER",
    );
  });

  test.each([
    ["vaultt://u:hunter2@host", /^The secret provider vaultt is unknown; known schemes: .*env, .*secretfile\.$/],
    ["hashivault://host/secret/data/a?tokn=hunter2", "The secret provider hashivault has the unknown parameter tokn"],
    ["hunter2", /^The secret provider is no URL; known schemes: .*env, .*secretfile\.$/],
    ["env://hunter2!", "The secret provider env takes a prefix"],
    ["hashivault://host/secret/data/a?token=hun\tter2", "a line break, a tab or another control character in its URL"],
    [
      "hashivault://host/secret/data/a?token=hunter2\r\n",
      "a line break, a tab or another control character in its URL",
    ],
    ["secretfile://relative.yaml", "The secret provider secretfile takes an absolute path"],
  ])("%s is refused without its credentials", async (url, message) => {
    const error: Error = await openSecrets(url, {}).then(
      () => new Error("was opened"),
      (cause) => cause,
    );
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain("hunter2");
  });

  test.each(["secretfile", "cyberarkccp"])(
    "%s on a runtime that lacks it is told apart from a typing mistake",
    async (scheme) => {
      const sources = { fetch, openFetch: undefined, clock: systemClock, environment: {} };
      const opening = openSecretProvider({ variable: `${scheme}://x?y=hunter2` }, PORTABLE_OPENERS, sources);
      await expect(opening).rejects.toThrow(
        new RegExp(`^The secret provider ${scheme} does not work on this runtime; known schemes: [a-z+, ]+\\.$`),
      );
    },
  );

  test("every scheme that can be opened is a known one", () => {
    const openers = { ...PORTABLE_OPENERS, ...HOSTED_OPENERS, ...NODE_OPENERS };
    expect(new Set(Object.keys(openers))).toEqual(new Set(SCHEMES));
  });

  test("the credentials in its URL are among the values that no log shows", async () => {
    const secrets = await openSecrets("hashivault://127.0.0.1:1/secret/data/a?token=hunter2", {});
    expect([...secrets.values()]).toEqual(["hunter2"]);
  });
});

describe("env://", () => {
  test("a reference is a variable in upper case, with _ for every run of other characters", async () => {
    const environment = { CS_COUNTERSIGN_SETUP_TOKEN: "x", CS_A_B_C: "y" };
    const secrets = await openSecrets("env://CS_", environment);
    expect(await secrets.get("countersign.setup-token")).toBe("x");
    expect(await secrets.get("a:/b.-c")).toBe("y");
  });

  test.each(["a.b", "constructor"])(
    "<%s> that is not set or empty is an error with the variable's name",
    async (name) => {
      const secrets = await openSecrets("env://", { A_B: "" });
      await expect(secrets.get(name)).rejects.toThrow(/is not set: env has no variable (A_B|CONSTRUCTOR)/);
    },
  );
});

describe("secretfile://", () => {
  test("entries are text, a value or a file beside it", async () => {
    const url = await secretFile("secrets:\n  a.text: one\n  a.value: {value: two}\n  a.file: {file: key.pem}\n");
    const secrets = await openSecrets(url, {});
    expect(await secrets.get("a.text")).toBe("one");
    expect(await secrets.get("a.value")).toBe("two");
    expect(await secrets.get("a.file")).toBe("from a file");
    await expect(secrets.get("a.none")).rejects.toThrow(/the secret <a.none> is not in the secret file/);
    await expect(secrets.get("__proto__")).rejects.toThrow(/is not in the secret file/);
  });

  test("a change of the file takes effect when secrets are fetched again", async () => {
    const url = await secretFile("secrets: {a.b: one}");
    const secrets = await openSecrets(url, {});
    expect(await secrets.get("a.b")).toBe("one");
    await writeFile(url.slice("secretfile://".length), "secrets: {a.b: two}");
    expect(await secrets.get("a.b")).toBe("two");
  });

  test("an empty entry is an error", async () => {
    const secrets = await openSecrets(await secretFile('secrets: {a.b: ""}'), {});
    await expect(secrets.get("a.b")).rejects.toThrow("the secret <a.b> is empty in the secret file");
  });

  test.each([
    ["no mapping", "secrets: [hunter2]", /no mapping named secrets/],
    ["nothing", "", /no mapping named secrets/],
    ["a text alone", "hunter2", /no mapping named secrets/],
    ["no YAML", 'secrets: "hunter2\n', /no YAML document/],
    ["an alias", "secrets: {a: &a hunter2, b: *a}", /without aliases/],
    ["a number", "secrets: {a.b: 1234567}", /neither text nor a mapping with value or file: a.b$/],
    ["two mistakes", "secrets: {a.b: 1234567, c.d: {}, e.f: x}", /neither text nor .*: a.b, c.d$/],
    [
      "value and file",
      "secrets: {a.b: {value: hunter2, file: x}}",
      /neither text nor a mapping with value or file: a.b$/,
    ],
  ])("%s is refused without quoting the file", async (_, text, message) => {
    const error: Error = await openSecrets(await secretFile(text), {}).then(
      () => new Error("was opened"),
      (cause) => cause,
    );
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/hunter2|1234567/);
  });

  test("a file that is not there is an error that names it", async () => {
    await expect(openSecrets("secretfile:///nowhere/secrets.yaml", {})).rejects.toThrow(
      "the secret file /nowhere/secrets.yaml cannot be read: no such file or folder",
    );
  });
});
