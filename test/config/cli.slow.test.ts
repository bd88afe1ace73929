import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { freePort } from "../support/free-port.ts";
import { commandFile } from "../support/shared-run/command.ts";
import { compiledOnce } from "../support/shared-run/variables.ts";
import { OPENAPI } from "./support.ts";

const CLI = await commandFile();
const APP = "apps: [{name: things, type: mcpBridge, openapi: {spec: {uri: file://openapi.json}}}]\n";

const UPLOAD = `openapi: 3.1.0
info: {title: Uploads, version: "1"}
servers: [{url: "https://a.example"}]
paths:
  /a:
    get: {}
    post: {requestBody: {required: true, content: {multipart/mixed: {schema: {type: array}}}}}
  /b:
    get: {parameters: [{name: s, in: body, required: true}]}
`;

const BAD_API = `openapi: 3.1.0
info: {title: Bad, version: "1"}
paths:
  a: {}
  /b/{id}:
    get:
      parameters:
        - in: query
  /c:
    post:
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties: {x: {$ref: "#/components/schemas/None"}}
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-cli-"));
  await writeFile(join(folder, "openapi.json"), OPENAPI);
  await writeFile(
    join(folder, "good.yaml"),
    `version: "1"\nmcpProvider: {enabled: true, transports: {stream: {enabled: true, path: /mcp}}}\n${APP}`,
  );
  await writeFile(
    join(folder, "filled.yaml"),
    `version: "1"\nstore: {path: "{{ env.STORE }}"}\nconsole: {setupToken: <a.b>}\n${APP}`,
  );
  await writeFile(join(folder, "bad.yaml"), "version: 1\nlogger:\n  level: loud\n  colour: red\n");
});

function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...compiledOnce(), ...environment },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...output }));
  return { child, output, ended };
}

const run = (args: readonly string[], environment?: Readonly<Record<string, string>>) => start(args, environment).ended;

/** A server that does not start: what it says to a person, behind its log entry. */
async function startInVain(args: readonly string[]) {
  const { stderr, ...result } = await run(args);
  expect(stderr).toMatch(/^\S+ ERROR the server cannot start [^\n]+\n/);
  return { ...result, stderr: stderr.slice(stderr.indexOf("\n") + 1) };
}

async function writeServing(name: string, port: number): Promise<string> {
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, `version: "1"\nhttp: {address: "127.0.0.1:${port}"}\nstore: {path: ${join(folder, name)}}\n`);
  return file;
}

/** Waits for the log entry that says so, or for the end of a process that never gets there. */
async function untilListening({ child, output, ended }: ReturnType<typeof start>): Promise<void> {
  const crashed = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  crashed.catch(() => undefined);
  while (!output.stderr.includes("listening")) await Promise.race([once(child.stderr, "data"), crashed]);
}

describe("countersign", () => {
  test.each(["-version", "--version", "version", "-v"])("%s prints name and version", async (argument) => {
    expect(await run([argument])).toMatchObject({ code: 0, stdout: `countersign ${manifest.version}\n`, stderr: "" });
  });

  test("without a configuration, one line names both ways and the exit code is 2", async () => {
    expect(await run([])).toEqual({
      code: 2,
      signal: null,
      stdout: "",
      stderr: "No configuration: name a YAML file with -config FILE or with the variable SVC_CONFIG.\n",
    });
  });

  test("unknown commands and flags are refused with what is accepted", async () => {
    expect((await run(["serv"])).stderr).toBe(
      'Unknown command serv; did you mean "serve"? accepted: serve, init, validate, migrate, import-bundle, compile, publish, verify-bundle, diff, tools, call, sign-out, explain, test-policy, schema, client, stop, resume, stops, pins, approvals, connections, vault, backup, owner, token, completion, version, help.\n',
    );
    expect(await run(["validate", "-confg", "x"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^Unknown option '-confg'; did you mean "-config"\? accepted: -config, -allowUnserved, -help\.\n$/,
      ),
    });
  });

  test.each([["-help"], ["--help"], ["-h"], ["help"]])("%s lists the commands on stdout", async (argument) => {
    const help = await run([argument]);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("SVC_CONFIG"), stderr: "" });
    for (const name of ["validate", "compile", "tools", "client create", "client revoke-key", "owner", "token"])
      expect(help.stdout).toContain(`countersign ${name} `);
  });

  test.each([
    [["validate", "-h"], "countersign validate -config FILE [-allowUnserved]\n", "-config FILE "],
    [["help", "token"], "countersign token -issuer URL", "-issuer URL "],
    [["client", "-h"], "countersign client create ", "countersign client revoke-key "],
    [["client", "create", "--help"], "countersign client create ", "-keyOut FILE "],
    [["-config", "x", "-help"], "countersign [serve] -config FILE", "-secretProvider URL "],
  ])("%j shows the command's flags and does nothing", async (args, usage, flag) => {
    const help = await run(args);
    expect(help).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining(flag) });
    expect(help.stdout).toContain(usage);
  });
});

describe("countersign validate", () => {
  test.each(["-config", "--config"])("accepts a good file named with %s", async (flag) => {
    expect(await run(["validate", flag, "good.yaml"])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/no identity.*\(warning\)\ngood.yaml: valid: 1 tool\n$/),
    });
  });

  test("says what is filled at start", async () => {
    const { code, stderr } = await run(["validate"], { SVC_CONFIG: "filled.yaml" });
    const warning = "filled.yaml:4:7: apps: MCP apps need mcpProvider.enabled: true (warning)\n";
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `${warning}filled.yaml: valid: 1 tool; filled at start: env.STORE, <a.b>\n`,
    });
  });

  test("counts the tools and lists each operation that is none, with the reason", async () => {
    await writeFile(join(folder, "upload.yaml"), UPLOAD);
    await writeFile(
      join(folder, "some.yaml"),
      `version: "1"\nmcpProvider: {enabled: false}\n${APP.replace("openapi.json", "upload.yaml")}`,
    );
    const { code, stderr } = await run(["validate", "-config", "some.yaml"]);
    expect({ code, lines: stderr.trimEnd().split("\n").slice(1) }).toEqual({
      code: 0,
      lines: [
        "some.yaml: valid: 1 tool, 2 operations left out",
        "  left out: POST /a (things): unsupported request body: multipart/mixed",
        '  left out: GET /b (things): unsupported parameter location: "s" is in "body"; accepted: path, query, querystring, header, cookie',
      ],
    });
    const { stdout } = await run(["tools", "-config", "some.yaml"]);
    expect(stdout).toMatch(/\nPOST \/a +things +unsupported request body: multipart\/mixed\n/);
  });

  test("an address that no URL can name is a mistake and no crash", async () => {
    await writeFile(join(folder, "address.yaml"), 'version: "1"\nhttp: {address: "256.1.1.1:18080"}\n');
    const expected = /^address.yaml:2:17: http.address: found "256.1.1.1:18080"; accepted: [^\n]+\n$/;
    const told = { code: 3, stderr: expect.stringMatching(expected) };
    expect(await run(["validate", "-config", "address.yaml"])).toMatchObject(told);
    expect(await startInVain(["-config", "address.yaml"])).toMatchObject(told);
  });

  test("lists every mistake with its place", async () => {
    expect(await run(["validate", "-config=bad.yaml"])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(/^bad.yaml:3:10: logger.level: .*\nbad.yaml:4:3: logger.colour: unknown key.*\n$/),
    });
  });

  test.each([
    ["nothing.yaml", "nothing.yaml:1:1: cannot be read: no such file or folder\n"],
    ["empty", "empty:1:1: found a folder without files; accepted: *.yaml and *.yml in it\n"],
    ["good.yaml/x", "good.yaml/x:1:1: cannot be read: a part of the path is not a folder\n"],
  ])("says why %s cannot be read", async (file, stderr) => {
    await mkdir(join(folder, "empty"), { recursive: true });
    expect(await run(["validate", "-config", file])).toMatchObject({ code: 3, stderr });
  });
});

describe("OpenAPI documents", () => {
  test.each([
    ["file://gone.json", "cannot be read: no such file or folder (gone.json)"],
    ["file://%zz", "cannot be read: a malformed % escape"],
    [
      "https://127.0.0.1:1/openapi.json",
      "cannot be read: the server did not answer: fetch makes no requests to this port (bad port)",
    ],
  ])("%s that cannot be read is a mistake with its place", async (uri, message) => {
    const file = join(folder, "unreadable.yaml");
    await writeFile(file, `version: "1"\n${APP.replace("file://openapi.json", `"${uri}"`)}`);
    expect(await run(["validate", "-config", "unreadable.yaml"])).toMatchObject({
      code: 3,
      stderr: `unreadable.yaml:2:62: apps[0].openapi.spec.uri: ${message}\n`,
    });
  });
});

describe("mistakes in an OpenAPI document", () => {
  test("are all told, with the document's own file, line and column, and as JSON Pointers", async () => {
    await mkdir(join(folder, "conf"), { recursive: true });
    await writeFile(join(folder, "conf/api.yaml"), BAD_API);
    await writeFile(
      join(folder, "conf/main.yaml"),
      `version: "1"\nhelth: {}\n${APP.replace("openapi.json", "api.yaml")}`,
    );
    const { code, stderr } = await run(["validate", "-config", "conf/main.yaml"]);
    expect({ code, lines: stderr.trimEnd().split("\n") }).toEqual({
      code: 3,
      lines: [
        'conf/main.yaml:2:1: helth: unknown key; did you mean "health"?',
        "conf/api.yaml:4:3: /paths/a: a path starts with a slash",
        "conf/api.yaml:6:5: /paths/~1b~1{id}/get: declares no path parameter for {id}",
        "conf/api.yaml:8:11: /paths/~1b~1{id}/get/parameters/0/name: is required",
        "conf/api.yaml:16:28: /paths/~1c/post/requestBody/content/application~1json/schema/properties/x: the reference #/components/schemas/None leads nowhere",
      ],
    });
  });

  test("that is no YAML have their lines", async () => {
    await writeFile(join(folder, "broken.yaml"), "openapi: 3.1.0\ninfo: {title: a\npaths: }{\n");
    await writeFile(join(folder, "main.yaml"), `version: "1"\n${APP.replace("openapi.json", "broken.yaml")}`);
    const { code, stderr } = await run(["validate", "-config", "main.yaml"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^broken.yaml:3:\d+: the OpenAPI document is neither JSON nor YAML: /);
  });
});

describe("files that cannot be used", () => {
  test("a store in a folder that cannot be made is one line, of the server and of the administration", async () => {
    await writeFile(join(folder, "nostore.yaml"), 'version: "1"\nstore: {path: good.yaml/x}\n');
    const expected = { code: 3, stderr: "Cannot open the store in good.yaml/x: a part of the path is not a folder.\n" };
    expect(await startInVain(["-config", "nostore.yaml"])).toMatchObject(expected);
    const create = ["client", "create", "-name", "a client", "-keyOut", join(folder, "key.pem")];
    expect(await run([...create, "-config", "nostore.yaml"])).toMatchObject(expected);
  });

  test("a secret file that is not there is told with the reason", async () => {
    expect(await startInVain(["-config", "good.yaml", "-secretProvider", "secretfile:///nope.yaml"])).toMatchObject({
      code: 3,
      stderr: "the secret file /nope.yaml cannot be read: no such file or folder\n",
    });
  });
});

describe("countersign compile", () => {
  test("refuses what the edge would refuse and tells what it warns about", async () => {
    const oidc = 'version: "1"\nhttp: {address: ":80"}\noidcProvider: {region: us}\n';
    await writeFile(join(folder, "node.yaml"), oidc);
    const compile = ["compile", "-config", "node.yaml", "-out", "dist/node.json"];
    expect(await run(compile)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^node.yaml:2:7: http.publicURL: required on Workers and Lambda.*\nnode.yaml:3:15: oidcProvider.apiClients.idSecret: required on Workers and Lambda.*\n$/,
      ),
    });
    await writeFile(
      join(folder, "node.yaml"),
      'version: "1"\nhttp: {address: ":80", publicURL: "{{ env.U }}"}\noidcProvider: {region: us, apiClients: {idSecret: <a.b>}}\n' +
        APP.replace("}]", ", upstream: {timeout: 55s}}]"),
    );
    expect(await run(compile)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^node.yaml:2:17: http.address: without effect[^\n]+ \(warning\)\n(?:.*\n)*node.yaml:4:\d+: [^\n]+: found "55s"; accepted: at most 50s on Lambda \(warning\)\ndist.node.json: 1 tool; 2 values filled at run time\n$/,
      ),
    });
  });

  test("a document without placeholders is checked completely", async () => {
    await writeFile(
      join(folder, "whole.yaml"),
      'version: "1"\nhttp: {publicURL: "https://a.example"}\nhealth: {location: /mcp}\nmcpProvider: {enabled: true, transports: {stream: {enabled: true, path: /mcp}}}\n',
    );
    expect(await run(["compile", "-config", "whole.yaml", "-out", "dist/whole.json"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("/mcp belongs to health.location"),
    });
  });

  test("writes an artifact without the values", async () => {
    await writeFile(
      join(folder, "filled.yaml"),
      `version: "1"\nstore: {path: "{{ env.STORE }}"}\nconsole: {setupToken: <a.b>}\n${APP}http: {publicURL: "https://a.example"}\n`,
    );
    const result = await run(["compile", "-config", "filled.yaml", "-out", "dist/edge.json"], { STORE: "hunter2" });
    expect(result).toMatchObject({ code: 0, stdout: "" });
    const text = await readFile(join(folder, "dist/edge.json"), "utf8");
    expect(text).not.toContain("hunter2");
    expect(JSON.parse(text)).toMatchObject({
      format: 1,
      source: "filled.yaml",
      document: { store: { path: null }, console: { setupToken: null } },
      placeholders: [{ path: ["store", "path"], parts: [{ env: "STORE" }], line: 2 }, { parts: [{ secret: "a.b" }] }],
      catalogs: { things: { tools: [{ name: "things_getThing" }] } },
    });
  });

  test("needs an output it can write", async () => {
    expect((await run(["compile", "-config", "filled.yaml"])).stderr).toBe(
      "No output: name the artifact with -out FILE.\n",
    );
    expect(await run(["compile", "-config", "filled.yaml", "-out", "good.yaml/x"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("good.yaml/x cannot be written"),
    });
  });
});

describe("countersign tools", () => {
  test("prints a table, JSON, or why not", async () => {
    const table = await run(["tools", "-config", "good.yaml"]);
    expect(table).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^NAME .*\nthings_getThing +things +GET \/things +-\n\n1 tool, 0 operations left out; /,
      ),
    });
    const json = await run(["tools", "-config", "good.yaml", "-json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ tools: [{ name: "things_getThing" }], leftOut: [] });
    expect(await run(["tools", "-config", "good.yaml", "-tool", "getThings"])).toEqual({
      code: 2,
      signal: null,
      stdout: "",
      stderr: "There is no tool getThings; did you mean things_getThing?\n",
    });
  });
});

describe("countersign -config", () => {
  test.each([
    ["a file", "SIGINT"],
    ["a folder", "SIGTERM"],
  ] as const)("serves %s until %s, then drains and exits 0", async (what, signal) => {
    const port = await freePort();
    await mkdir(join(folder, "gateway"), { recursive: true });
    const file = await writeServing(what === "a folder" ? "gateway/base" : "serve", port);
    const server = start(["-config", what === "a folder" ? "gateway" : file]);
    await untilListening(server);
    expect(await (await fetch(`http://127.0.0.1:${port}/status`)).json()).toEqual({ status: "up" });
    server.child.kill(signal);
    expect(await server.ended).toMatchObject({ code: 0, signal: null, stdout: "" });
  });

  test.each([
    ["SVC_CONFIG and SVC_DEBUG_MODE", (file: string) => start([], { SVC_CONFIG: file, SVC_DEBUG_MODE: "true" })],
    ["-config and -verbose", (file: string) => start(["-config", file, "-verbose"])],
  ] as const)("%s name the file and override the log level", async (name, startWith) => {
    const file = await writeServing(name.replaceAll(/\W+/g, ""), await freePort());
    await writeFile(file, "logger: {level: error}\n", { flag: "a" });
    const server = startWith(file);
    await untilListening(server);
    server.child.kill("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 0 });
  });

  test("without them the log level of the file holds", async () => {
    const port = await freePort();
    const file = await writeServing("quiet", port);
    await writeFile(file, "logger: {level: error}\n", { flag: "a" });
    const server = start(["-config", file]);
    while (!(await fetch(`http://127.0.0.1:${port}/status`).catch(() => undefined))?.ok) {
      if (server.child.exitCode !== null) throw new Error(server.output.stderr);
    }
    server.child.kill("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("a port that is taken is one line and exit 3", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { code, stderr } = await run(["-config", await writeServing("taken", port)]);
    server.close();
    expect(code).toBe(3);
    expect(stderr).toContain(String(port));
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("a missing secret and an unset variable are told together, exit 3", async () => {
    const { code, stderr } = await startInVain(["-config", "filled.yaml", "-secretProvider", "env://X_"]);
    expect(code).toBe(3);
    expect(stderr).toBe(
      "filled.yaml:2:15: store.path: the environment variable STORE is not set\n" +
        "filled.yaml:3:23: console.setupToken: the secret <a.b> is not set: env has no variable X_A_B\n",
    );
  });

  test("two different secret providers are an error", async () => {
    const result = await run(["-config", "good.yaml", "-secretProvider", "env://A_"], {
      SVC_SECRET_PROVIDER: "env://B_",
    });
    expect(result).toMatchObject({ code: 3, stderr: expect.stringContaining("different secret providers") });
  });
});
