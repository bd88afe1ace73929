import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run as diff } from "../../infra/node/commands/diff.ts";
import { run as tools } from "../../infra/node/commands/tools.ts";
import { run as validate } from "../../infra/node/commands/validate.ts";
import { readConfiguration } from "../../infra/node/configuration-document.ts";
import { loadConfiguration, readAsFarAsPossible } from "../../infra/node/load-configuration.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { ConfigurationError, formatMessage } from "../../lib/config/messages.ts";
import { checkAhead, resolveConfiguration } from "../../lib/config/resolve.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";
import { OPENAPI } from "./support.ts";

type Files = Readonly<Record<string, string>>;

const VERSION = 'version: "1"\n';
const app = (name: string) =>
  `apps:\n  - type: mcpBridge\n    name: ${name}\n    openapi: {spec: {uri: file://openapi.json}}\n`;
const connector = (name: string) => `connectors:
  - {name: ${name}, type: oidc, oidcWellKnownURL: "https://a.example/.well-known/openid-configuration", oauthClientID: a, oauthClientSecret: b}
`;

describe("a folder as one configuration", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "countersign-folder-"));
    writeFileSync(join(folder, "openapi.json"), OPENAPI);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(files: Files): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  }

  function load(files: Files): Promise<ConfigurationArtifact> {
    write(files);
    return loadConfiguration(folder);
  }

  /** What is wrong, without the folder's own name. */
  async function mistakes(files: Files): Promise<readonly string[]> {
    const artifact = load(files).then((loaded) => checkAhead(loaded, "node"));
    return artifact.then(shown, (error: unknown) => {
      if (error instanceof ConfigurationError) return shown(error.messages);
      throw error;
    });
  }

  const shown = (messages: ConfigurationError["messages"]) =>
    messages.map((message) => formatMessage(message).replaceAll(`${folder}/`, "").replace(folder, "(folder)"));

  async function printedBy(command: typeof validate, args: readonly string[]): Promise<string> {
    let text = "";
    const add = (more: string) => {
      text += more;
    };
    expect(await command(args, { stdout: add, stderr: add, environment: {} })).toBe(0);
    return text.replaceAll(folder, "(folder)");
  }

  test("mappings merge deeply, lists of what has names are one, in the order of the files' names", async () => {
    const artifact = await load({
      "00-base.yaml": `${VERSION}logger: {level: info}\nhttp:\n${app("one")}`,
      "10-b.yml": `http: {address: "127.0.0.1:9"}\nlogger: {jsonOutput: true}\n${app("three")}`,
      // The bytes of a name count: capital letters come first.
      "10-B.yaml": `${app("two")}${connector("a")}`,
    });
    expect(artifact.document).toMatchObject({
      version: "1",
      logger: { level: "info", jsonOutput: true },
      http: { address: "127.0.0.1:9" },
      connectors: [{ name: "a" }],
      apps: [{ name: "one" }, { name: "two" }, { name: "three" }],
    });
    expect(Object.keys(artifact.catalogs)).toEqual(["one", "two", "three"]);
  });

  test("placeholders are filled in their places in the whole", async () => {
    const named = (name: string, variable: string) =>
      `${app(name)}    upstream: {headers: {A: <a.${variable}>, B: "{{ env.${variable} }}"}}\n`;
    const artifact = await load({
      "a.yaml": `${VERSION}mcpProvider: {enabled: true}\n${named("one", "X")}`,
      "b.yaml": named("two", "Y"),
    });
    const { document } = await resolveConfiguration(artifact, {
      environment: { X: "of one", Y: "of two" },
      secrets: environmentSecrets({ S_A_X: "x", S_A_Y: "y" })("env://S_"),
      runtime: "node",
    });
    expect(document).toMatchObject({
      apps: [
        { name: "one", upstream: { headers: { A: "x", B: "of one" } } },
        { name: "two", upstream: { headers: { A: "y", B: "of two" } } },
      ],
    });
  });

  test("hidden files, other files and folders do not count, and links to files do", async () => {
    const files = { "..2026/a.yaml": VERSION, "..b.yaml": "bad", ".c.yaml": "bad", "d.json": "bad", "e/f.yaml": "bad" };
    write(files);
    symlinkSync("..2026", join(folder, "..data"));
    symlinkSync(join("..data", "a.yaml"), join(folder, "a.yaml"));
    expect(await mistakes({})).toEqual([]);
  });

  test.each<[what: string, files: Files, expected: readonly string[]]>([
    ["an empty folder", {}, ["(folder):1:1: found a folder without files; accepted: *.yaml and *.yml in it"]],
    [
      "the same scalar with another value, and with the same",
      { "a.yaml": `${VERSION}logger:\n  level: info\n`, "b.yaml": `${VERSION}logger: {level: error}\n` },
      [
        "b.yaml:1:1: version: stands in a.yaml:1:1, too; accepted: one of them",
        "b.yaml:2:10: logger.level: stands in a.yaml:3:3, too; accepted: one of them",
      ],
    ],
    [
      "another list",
      { "a.yaml": `${VERSION}http: {trustedProxies: [10.0.0.1]}\n`, "b.yaml": "http: {trustedProxies: []}\n" },
      ["b.yaml:1:8: http.trustedProxies: stands in a.yaml:2:8, too; accepted: one of them"],
    ],
    [
      "a list and a mapping",
      { "a.yaml": `${VERSION}apps: []\n`, "b.yaml": "apps: {}\n" },
      ["b.yaml:1:1: apps: stands in a.yaml:2:1, too; accepted: one of them"],
    ],
    [
      "the same key of one certificate",
      { "a.yaml": `${VERSION}tls: {a: {certFile: a}}\n`, "b.yaml": "tls: {a: {keyFile: b, certFile: a}}\n" },
      ["b.yaml:1:23: tls.a.certFile: stands in a.yaml:2:11, too; accepted: one of them"],
    ],
    [
      "the same name",
      { "a.yaml": `${VERSION}${app("one")}`, "b.yaml": app("two"), "c.yaml": app("one") },
      ["c.yaml:3:11: apps[2].name: the name stands in a.yaml:4:11, too; accepted: one of them"],
    ],
    [
      "the same name of connectors",
      { "a.yaml": VERSION + connector("x"), "b.yaml": connector("x") },
      ["b.yaml:2:12: connectors[1].name: the name stands in a.yaml:3:12, too; accepted: one of them"],
    ],
    [
      "several documents, no document and no mapping",
      { "a.yaml": `${VERSION}---\na: 1\n`, "b.yaml": "# nothing\n", "c.yaml": "- 1\n", "d.yaml": "text\n" },
      [
        "a.yaml:2:1: found more than one YAML document; accepted: one",
        "b.yaml:1:1: the document is empty",
        "c.yaml:1:1: found a list; accepted: a mapping",
        "d.yaml:1:1: found one value; accepted: a mapping",
      ],
    ],
    [
      "mistakes of the schema, in the files where they stand",
      { "a.yaml": `${VERSION}logger: {level: loud}\n`, "b.yaml": "colour: red\n", "c.yaml": `${app("x")}    nam: y\n` },
      [
        expect.stringMatching(/^a\.yaml:2:17: logger\.level: found "loud"; accepted: /),
        expect.stringMatching(/^b\.yaml:1:1: colour: /),
        expect.stringMatching(/^c\.yaml:5:5: apps\[0\]\.nam: /),
      ],
    ],
    [
      "a placeholder and a tag in a later entry of a list",
      { "a.yaml": VERSION + app("x"), "b.yaml": `${app("y")}    organization: "{{ e }}"\n    tools: !x {}\n` },
      [
        expect.stringMatching(/^b\.yaml:5:19: apps\[1\]\.organization: found a malformed placeholder/),
        expect.stringMatching(/^b\.yaml:6:.*: found a tag; tags are not supported$/),
      ],
    ],
    [
      "an OpenAPI document that is missing",
      { "a.yaml": VERSION, "b.yaml": app("x").replace("openapi.json", "none.json") },
      ["b.yaml:4:27: apps[0].openapi.spec.uri: cannot be read: no such file or folder (none.json)"],
    ],
  ])("%s: told with the file and its place", async (_, files, expected) => {
    expect(await mistakes(files)).toEqual(expected);
  });

  test("warnings, and mistakes in OpenAPI documents, name their files", async () => {
    expect(
      await mistakes({ "a.yaml": `${VERSION}mcpProvider: {enabled: true}\n`, "b.yaml": "features: {a: 1}\n" }),
    ).toContainEqual(expect.stringMatching(/^b\.yaml:1:\d+: features: /));
    write({ "openapi.json": "{}", "b.yaml": app("x") });
    expect(await mistakes({})).toContainEqual(expect.stringMatching(/^openapi\.json:1:1: /));
  });

  test("a part that is no readable file is told with its name", async () => {
    mkdirSync(join(folder, "b.yaml"));
    symlinkSync("nowhere", join(folder, "c.yaml"));
    expect(await mistakes({ "a.yaml": VERSION, "d.yaml": "\xff" })).toEqual([
      "b.yaml:1:1: cannot be read: it is a folder",
      "c.yaml:1:1: cannot be read: no such file or folder",
    ]);
    expect(await readAsFarAsPossible(folder)).toBeUndefined();
  });

  test("a folder is as bounded as a file", async () => {
    const comment = `a: 1 # ${"x".repeat(700_000)}\n`;
    expect(await mistakes({ "a.yaml": comment, "b.yaml": comment })).toEqual([
      expect.stringMatching(/^\(folder\):1:1: found \d+ characters; accepted: at most 1048576$/),
    ]);
    const list = (key: string) => `${key}: [${"1,".repeat(26_000)}]\n`;
    expect(await mistakes({ "a.yaml": list("a"), "b.yaml": list("b") })).toEqual([
      "(folder):1:1: too many values, aliases expanded; accepted: 50000",
    ]);
    const many = Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`${index}.yaml`, VERSION]));
    expect(await mistakes(many)).toEqual([
      expect.stringMatching(/^\(folder\):1:1: found 25\d YAML files; accepted: at most 256$/),
    ]);
  });

  test("after it is compiled elsewhere, messages name the folder and the file, and no path of the machine", async () => {
    const artifact = await load({ "a.yaml": VERSION, "b.yaml": 'http: {address: "{{ env.ADDRESS }}"}\n' });
    const options = { environment: {}, secrets: environmentSecrets({})("env://S_"), runtime: "node" } as const;
    const compiled = JSON.parse(JSON.stringify({ ...artifact, source: "gateway" })) as ConfigurationArtifact;
    await expect(resolveConfiguration(compiled, options)).rejects.toThrow(/^gateway\/b\.yaml:1:17: http\.address: /);
  });

  test("commands take it as they take a file", async () => {
    write({ "a.yaml": `${VERSION}mcpProvider: {enabled: true}\n`, "b.yaml": app("x") });
    expect(await printedBy(validate, ["-config", folder])).toContain("(folder): valid: ");
    expect(await printedBy(tools, ["-config", folder, "-json"])).toContain("getThing");
    const one = join(folder, "one.txt");
    writeFileSync(one, `${VERSION}mcpProvider: {enabled: true}\n${app("y")}`);
    expect(await printedBy(diff, ["-from", one, "-to", folder])).toContain("+ ");
  });

  test("files that Kubernetes replaces while they are read are of one version", async () => {
    const versions = ["1", "2"] as const;
    for (const version of versions)
      write({
        [`..${version}/00.yaml`]: `${VERSION}apps: [{name: first-${version}}]\n`,
        [`..${version}/10.yaml`]: `apps: [{name: second-${version}}]\n`,
      });
    const use = (version: string) => {
      symlinkSync(`..${version}`, join(folder, "..data_tmp"));
      renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
    };
    use("1");
    for (const name of ["00.yaml", "10.yaml"]) symlinkSync(`..data/${name}`, join(folder, name));
    // At each step of the reading once.
    for (let steps = 0; steps < 40; steps++) {
      const reading = readConfiguration(folder);
      for (let step = 0; step < steps; step++) await setImmediate();
      use(versions[steps % 2 === 0 ? 1 : 0]);
      const { apps } = (await reading).yaml.document as { readonly apps: readonly { readonly name: string }[] };
      const [first, second] = apps.map(({ name }) => name.split("-")[1]);
      expect([steps, first]).toEqual([steps, second]);
    }
  });
});
