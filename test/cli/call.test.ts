import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSigner, issueToken } from "../behaviour/fixture.ts";
import { auditOutcome } from "../behaviour/gateway-fixture.ts";
import { type McpClientsUnderTest, startMcpClients } from "../behaviour/mcp-clients/under-test.ts";
import { signInWhenAsked } from "../mcp-clients/sign-in.ts";
import { node } from "../runtimes/node.ts";
import { visit } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { PERSON } from "../support/sign-in-server.ts";
import { type Finished, inThisProcess } from "./countersign.ts";

let it: McpClientsUnderTest;
let url: string;
/** Of the user of the command; each test has its own. */
let home: string;
beforeAll(async () => {
  it = await startMcpClients(node);
  url = `${it.us.url}/mcp`;
});
afterAll(() => it?.stop());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "countersign-call-"));
});
afterEach(() => rmSync(home, { recursive: true }));

/** As the person who signs in. */
const asPerson = (args: readonly string[], look: (stderr: string) => void = () => undefined) =>
  inThisProcess([...args, "-url", url, "-noBrowser"], { XDG_CONFIG_HOME: home }, look);

/** With a token that may call everything. */
const withToken = (...args: readonly string[]) =>
  inThisProcess([...args, "-url", url], { XDG_CONFIG_HOME: home, COUNTERSIGN_TOKEN: it.token["/mcp"] });

const keptFile = () => join(home, "countersign", "sign-ins.json");

async function signedIn(args: readonly string[]): Promise<Finished> {
  const person = signInWhenAsked(it.signIn.issuer);
  const finished = await asPerson(args, person.look);
  await person.finished();
  return finished;
}

/** A token of an API client that may not write. */
async function readersToken(): Promise<string> {
  const signer = await createSigner(it.owner, { scopes: ["notes:read"], resources: [url] });
  return issueToken(it.us, signer, { resource: url });
}

/** Paths of the authorization server that were asked for since. */
function askedSince(before: number): readonly string[] {
  return it.signIn.requests.slice(before).map(({ path }) => path);
}

describe("countersign call, without a token", () => {
  test("signs a person in in the browser, calls the tool as that person and keeps the token for the next time", async () => {
    const before = it.signIn.requests.length;
    const made = await signedIn(["call", "upstream_createNote", "title=Mine", "-json"]);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\{.*\}\n$/) });
    expect(JSON.parse(made.stdout)).toMatchObject({ structuredContent: { title: "Mine" } });
    const requests = it.signIn.requests.slice(before);
    const asked = requests.find(({ path }) => path === "/auth")?.parameters;
    expect(asked).toMatchObject({ resource: url, code_challenge_method: "S256" });
    expect(asked?.redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(await auditOutcome(it.owner, "createNote", "success")).toMatchObject({
      user: PERSON,
      agent: asked?.client_id,
    });

    const [atNext, text] = [it.signIn.requests.length, readFileSync(keptFile(), "utf8")];
    expect(statSync(keptFile()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "countersign")).mode & 0o777).toBe(0o700);
    const { accessToken } = JSON.parse(text)[url];
    expect(made.stderr).not.toContain(accessToken);
    expect(await asPerson(["call", "upstream_listTags"])).toEqual({ code: 0, stdout: '["a","b"]\n', stderr: "" });
    expect(askedSince(atNext)).toEqual([]);
  });

  test("gets another token with the refresh token, without asking the person", async () => {
    await signedIn(["tools"]);
    const kept = JSON.parse(readFileSync(keptFile(), "utf8"));
    const spoilt = { [url]: { ...kept[url], accessToken: "spoilt" }, "https://other.example/mcp": kept[url] };
    writeFileSync(keptFile(), JSON.stringify(spoilt));
    const before = it.signIn.requests.length;
    expect(await asPerson(["call", "upstream_listTags"])).toMatchObject({ code: 0, stderr: "" });
    const grants = it.signIn.requests.slice(before).flatMap(({ parameters }) => parameters.grant_type ?? []);
    expect(grants).toEqual(["refresh_token"]);
    expect(Object.keys(JSON.parse(readFileSync(keptFile(), "utf8")))).toEqual(["https://other.example/mcp", url]);
  });

  test("commands that run at once get one other token together: the refresh token is used once", async () => {
    await signedIn(["tools"]);
    const kept = JSON.parse(readFileSync(keptFile(), "utf8"));
    writeFileSync(keptFile(), JSON.stringify({ [url]: { ...kept[url], accessToken: "spoilt" } }));
    const before = it.signIn.requests.length;
    const commands = Array.from({ length: 4 }, () => asPerson(["call", "upstream_listTags"]));
    for (const finished of await Promise.all(commands)) expect(finished).toMatchObject({ code: 0, stderr: "" });
    const grants = it.signIn.requests.slice(before).flatMap(({ parameters }) => parameters.grant_type ?? []);
    expect(grants).toEqual(["refresh_token"]);
  });

  test("signs the person in again as the same client when nothing of the tokens is good any more", async () => {
    await signedIn(["tools"]);
    const kept = JSON.parse(readFileSync(keptFile(), "utf8"));
    writeFileSync(
      keptFile(),
      JSON.stringify({ [url]: { ...kept[url], accessToken: "spoilt", refreshToken: "spoilt" } }),
    );
    const before = it.signIn.requests.length;
    expect(await signedIn(["call", "upstream_listTags"])).toMatchObject({ code: 0, stdout: '["a","b"]\n' });
    expect(askedSince(before)).not.toContain("/reg");
    expect(JSON.parse(readFileSync(keptFile(), "utf8"))[url].client).toEqual(kept[url].client);
  });

  test("signs the person in once more where the tool needs further scopes", async () => {
    await signedIn(["tools"]);
    const kept = JSON.parse(readFileSync(keptFile(), "utf8"));
    const less = { ...kept[url], accessToken: await readersToken(), scope: "notes:read" };
    writeFileSync(keptFile(), JSON.stringify({ [url]: less }));
    const before = it.signIn.requests.length;
    expect(await signedIn(["call", "upstream_createNote", "title=More"])).toMatchObject({ code: 0 });
    const requests = it.signIn.requests.slice(before);
    expect(requests.flatMap(({ parameters }) => parameters.grant_type ?? [])).toEqual(["authorization_code"]);
    const asked = requests.find(({ path }) => path === "/auth")?.parameters.scope?.split(" ");
    expect(asked).toEqual(expect.arrayContaining(["notes:read", "notes:write"]));
  });

  test("opens the browser unless it is told not to", async () => {
    const opened = join(home, "opened");
    writeFileSync(join(home, "xdg-open"), `#!/bin/sh\necho "$1" >> ${opened}.new && mv ${opened}.new ${opened}\n`);
    chmodSync(join(home, "xdg-open"), 0o700);
    const environment = { XDG_CONFIG_HOME: home, PATH: `${home}:${process.env.PATH}` };
    const running = inThisProcess(["tools", "-url", url], environment);
    const page = await eventually(
      async () => readFileSync(opened, { encoding: "utf8", flag: "a+" }).trim(),
      (text) => text !== "",
    );
    await visit(page);
    const { code, stderr } = await running;
    expect(code).toBe(0);
    expect(stderr).toContain(page);
  });

  test.each([
    ["the person refuses", { error: "access_denied", error_description: "not today" }, "access_denied: not today"],
    [
      "another server answers",
      { error: "access_denied", error_description: "call me", iss: "https://evil.example" },
      "the answer of another server",
    ],
  ])("where %s, nothing is kept, and a page with another state changes nothing", async (_, answer, said) => {
    let isSent = false;
    const { code, stdout, stderr } = await asPerson(["call", "upstream_listTags"], (stderr) => {
      const page = stderr.split("\n")[1];
      if (page === undefined || page === "" || isSent) return;
      isSent = true;
      const { redirect_uri = "", state = "" } = Object.fromEntries(new URL(page).searchParams);
      const back = (query: Readonly<Record<string, string>>) => fetch(`${redirect_uri}?${new URLSearchParams(query)}`);
      void back({ state: "another", code: "stolen" })
        .then(({ status }) => expect(status).toBe(404))
        .then(() => back({ iss: it.signIn.issuer, ...answer, state }));
    });
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/call me|evil/);
    expect(() => statSync(keptFile())).toThrow("ENOENT");
  });

  test("sign-out takes the tokens back at the authorization server and forgets them, and those of no other server", async () => {
    const signOut = (address = url) => inThisProcess(["sign-out", "-url", address], { XDG_CONFIG_HOME: home });
    expect(await signOut()).toEqual({ code: 0, stdout: `Nobody is signed in at ${url}.\n`, stderr: "" });
    await signedIn(["tools"]);
    const kept = JSON.parse(readFileSync(keptFile(), "utf8"));
    const gone = { ...kept[url], issuer: "http://127.0.0.1:9" };
    writeFileSync(keptFile(), JSON.stringify({ ...kept, "https://other.example/mcp": gone }));
    const before = it.signIn.requests.length;
    expect(await signOut()).toEqual({ code: 0, stdout: `Signed out of ${url}.\n`, stderr: "" });
    const hints = it.signIn.requests.slice(before).flatMap(({ parameters }) => parameters.token_type_hint ?? []);
    expect(hints).toEqual(["refresh_token", "access_token"]);
    expect(Object.keys(JSON.parse(readFileSync(keptFile(), "utf8")))).toEqual(["https://other.example/mcp"]);

    // The server's access tokens end by themselves; whoever has the refresh token of then gets no other.
    writeFileSync(keptFile(), JSON.stringify({ [url]: { ...kept[url], accessToken: "spoilt" } }));
    const asked = it.signIn.requests.length;
    expect(await signedIn(["call", "upstream_listTags"])).toMatchObject({ code: 0 });
    const grants = it.signIn.requests.slice(asked).flatMap(({ parameters }) => parameters.grant_type ?? []);
    expect(grants).toEqual(["refresh_token", "authorization_code"]);

    writeFileSync(keptFile(), JSON.stringify({ "https://other.example/mcp": gone }));
    const unreached = await signOut("https://other.example/mcp");
    expect(unreached).toMatchObject({
      code: 5,
      stdout: "",
      stderr: expect.stringContaining("end the agent in the Console"),
    });
    expect(unreached.stderr).not.toContain(gone.refreshToken);
    expect(readFileSync(keptFile(), "utf8")).toBe("{}\n");
  });

  test("a file of tokens that others may read, or that is damaged, is not used", async () => {
    await signedIn(["tools"]);
    chmodSync(keptFile(), 0o644);
    const open = await asPerson(["call", "upstream_listTags"]);
    expect(open).toMatchObject({ code: 3, stderr: expect.stringMatching(/^Others may read .*sign-ins\.json/) });
    chmodSync(keptFile(), 0o600);
    writeFileSync(keptFile(), '{"token": "secret');
    const damaged = await asPerson(["call", "upstream_listTags"]);
    expect(damaged).toMatchObject({ code: 3, stderr: `${keptFile()} is damaged: delete it, and sign in again.\n` });
  });
});

describe("countersign call, with a token", () => {
  test("takes it from the variable or from a file, and keeps nothing", async () => {
    expect(await withToken("call", "upstream_listTags")).toEqual({ code: 0, stdout: '["a","b"]\n', stderr: "" });
    const file = join(home, "token");
    writeFileSync(file, `${it.token["/mcp"]}\n`);
    const args = ["call", "upstream_listTags", "-url", url, "-tokenFile", file];
    expect(await inThisProcess(args, { XDG_CONFIG_HOME: home })).toMatchObject({ code: 0, stderr: "" });
    expect(() => statSync(keptFile())).toThrow("ENOENT");
  });

  test("values are text, and JSON where the schema wants something else or := says so", async () => {
    const before = it.upstream.requests.length;
    const file = join(home, "arguments.json");
    writeFileSync(file, '{"limit": 5, "X-Trace": "from the file"}');
    const args = ["upstream_listNotes", "limit=7", 'tag=["a","b"]', "-arguments", file, "-json"];
    expect(await withToken("call", ...args)).toMatchObject({ code: 0, stderr: "" });
    const [request] = it.upstream.requests.slice(before);
    expect(request?.url).toBe("/notes?tag=a&tag=b&limit=7");
    expect(request?.headers["x-trace"]).toBe("from the file");
    const made = await withToken("call", "upstream_createNote", "title=7", 'tags:=["x"]', "-json");
    expect(JSON.parse(made.stdout)).toMatchObject({ structuredContent: { title: "7", tags: ["x"] } });
  });

  test.each([
    [["upstream_listTag"], 'There is no tool upstream_listTag; did you mean "upstream_listTags"? '],
    [["upstream_getNote", "noteID=1"], 'The tool has no argument "noteID"; did you mean "noteId"? accepted: noteId.'],
    [["upstream_listNotes", "limit=many"], 'limit: found "many"; accepted: integer.'],
    [["upstream_listNotes", "limit=1.5"], 'limit: found "1.5"; accepted: integer.'],
    [["upstream_listNotes", "tag=a"], 'tag: found "a"; accepted: array of string.'],
    [["upstream_listNotes", "tag:=a"], 'tag: "a" is no JSON; a text is tag=…'],
    [["upstream_getNote", "noteId=1", "noteId=2"], "noteId stands twice; "],
    [["upstream_getNote", "1"], '"1" is no argument; accepted: key=value, or key:=json.'],
    [["noteId=1"], "The name of a tool stands before the arguments: found noteId=1."],
    [[], "countersign call needs the name of a tool first."],
    [["upstream_listTags", "-tokenFile", "/nowhere"], "/nowhere cannot be read: no such file or folder."],
    [["upstream_listTags", "-arguments", "/dev/null"], "-arguments: /dev/null is not one JSON object."],
  ])("call %j is a mistake of whoever typed it", async (args, said) => {
    const { code, stdout, stderr } = await withToken("call", ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.startsWith(said)).toBe(true);
  });

  test("what refuses is told in its words, with exit code 4", async () => {
    const failed = await withToken("call", "upstream_getNote", "noteId=99");
    expect(failed).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("there is no such note") });
    const reader = await readersToken();
    const call = ["call", "upstream_getNote", "noteId=1", "-url", url];
    expect(await inThisProcess(call, { COUNTERSIGN_TOKEN: reader })).toMatchObject({ code: 0 });
    const writing = ["call", "upstream_createNote", "title=x", "-url", url];
    const refused = await inThisProcess(writing, { COUNTERSIGN_TOKEN: reader });
    expect(refused).toMatchObject({
      code: 4,
      stderr: "The token lacks a scope that this needs: notes:read notes:write.\n",
    });
    const unknown = await inThisProcess(call, { COUNTERSIGN_TOKEN: "unknown" });
    expect(unknown).toMatchObject({
      code: 4,
      stderr: `${url} does not take the token: it may be over, or for another server.\n`,
    });
  });

  test("what gives no usable answer is told, with exit code 5", async () => {
    const call = (at: string) => inThisProcess(["call", "x", "-url", at], { COUNTERSIGN_TOKEN: "x" });
    const noServer = await call(`${it.upstream.url}/nothing`);
    expect(noServer).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("is no MCP server: it answered with 404"),
    });
    const nobody = await call("http://127.0.0.1:1/mcp");
    expect(nobody).toMatchObject({
      code: 5,
      stdout: "",
      stderr: expect.stringMatching(/^http:\S+ gave no usable answer \(.*\)\.\n$/),
    });
    const odd = await call("ftp://gateway.example");
    expect(odd).toMatchObject({
      code: 2,
      stderr: "-url takes an http or https URL without a user name and a password.\n",
    });
  });
});

describe("countersign tools -url", () => {
  test("lists the tools that the server has for whoever asks, or shows one in full", async () => {
    const { code, stdout } = await withToken("tools");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAME +TITLE +DESCRIPTION\n/);
    expect(stdout).toMatch(/\nupstream_listTags +List tags\b/);
    expect(stdout).toMatch(/\n\d+ tools\n$/);
    const { tools } = JSON.parse((await withToken("tools", "-json")).stdout);
    expect(tools).toContainEqual(expect.objectContaining({ name: "upstream_getNote", inputSchema: expect.anything() }));
    const lines = (await withToken("tools", "-jsonl")).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(tools);
    const one = await withToken("tools", "-tool", "upstream_listNotes");
    expect(one.stdout).toMatch(/^upstream_listNotes\n\nList notes\n\n/);
    expect(one.stdout).toMatch(/\ntag +array of string +Only notes with all of these tags\.\n/);
    expect(JSON.parse((await withToken("tools", "-tool", "upstream_listNotes", "-json")).stdout)).toMatchObject({
      name: "upstream_listNotes",
    });
  });

  test.each([["-app", "x"], ["-config", "x.yaml"], ["-leftOut"]])(
    "refuses %s, which is about configurations",
    async (...flags) => {
      const [flag] = flags;
      expect(await withToken("tools", ...flags)).toMatchObject({ code: 2, stderr: `${flag} does not go with -url.\n` });
    },
  );
});

test("where tools are found by search, call asks for the schema of the one that it is given", async () => {
  const searching = await startMcpClients({
    ...node,
    start: ({ configuration, ...options }) =>
      node.start({
        ...options,
        configuration: configuration.replace("mcpProvider:\n", "mcpProvider:\n  catalog: { search: on }\n"),
      }),
  });
  try {
    const call = (...args: readonly string[]) =>
      inThisProcess(["call", ...args, "-url", `${searching.us.url}/mcp`], {
        COUNTERSIGN_TOKEN: searching.token["/mcp"],
      });
    expect(await call("upstream_listNotes", "limit=many")).toMatchObject({
      code: 2,
      stderr: 'limit: found "many"; accepted: integer.\n',
    });
    expect(await call("upstream_listTags")).toMatchObject({ code: 0, stdout: '["a","b"]\n' });
    expect(await call("upstream_listTag")).toMatchObject({ code: 2, stderr: expect.stringContaining("Near to it: ") });
  } finally {
    await searching.stop();
  }
});
