import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as openid from "openid-client";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { quickstartConfiguration } from "../../examples/quickstart/start/configuration.ts";
import { CONSOLE_BUILD_VARIABLE } from "../../infra/node/console/folder.ts";
import { freeNeighbours } from "../repository/shell-blocks/ports.ts";
import { browserFetch } from "../support/browser-fetch.ts";
import { tinyConsole } from "../support/console-build.ts";
import { openBrowser } from "../support/person.ts";
import type { Built } from "../support/shared-run/built-once.ts";

const program = fileURLToPath(new URL("../../examples/quickstart/start/quickstart.ts", import.meta.url));
const cli = fileURLToPath(new URL("../../infra/node/cli.ts", import.meta.url));
const INSPECTOR =
  /npx -y @modelcontextprotocol\/inspector@\S+ --cli (\S+) --transport http .* "Authorization: (Bearer \S+)"/;
let folder: string;
let build: Built;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-quickstart-"));
  build = await tinyConsole();
  port = await freeNeighbours();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await build.remove();
});

test("the demo tells the story of a call to each upstream and ends with 0", async () => {
  const { code, stdout, stderr } = await start(["-once"]).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(chapters(stdout)).toEqual(["discovery", "token", "tools", "call", "call", "audit record"]);
  expect(stdout).toMatch(/12 made from openapi\.yaml.*; 2 of the MCP server/);
  expect(stdout).toContain("“Moby-Dick” by Herman Melville");
  expect(stdout).toMatch(/notice-2, put up by client_[0-9a-f-]{36}$/m);
  expect(stdout).toMatch(/client_[0-9a-f-]{36} called board_postNotice, success/);
});

test("it starts for a user who has no entry in the user database, as in a container", async () => {
  const nameless = `import os from "node:os";
    import { syncBuiltinESMExports } from "node:module";
    os.userInfo = () => { throw new Error("no such user"); };
    syncBuiltinESMExports();`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(nameless)}`;
  const { code, stderr } = await start(["-once"], await freeNeighbours(), { NODE_OPTIONS }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("a second start finds the agent of the first, also on another port, and keeps its key to this user", async () => {
  const kept = await readFile(join(folder, "data/quickstart/sample-agent.json"), "utf8");
  const { code, stdout } = await start(["-once"], await freeNeighbours()).ended;
  expect(code).toBe(0);
  expect(stdout).toContain(JSON.parse(kept).clientId);
  expect((await stat(join(folder, "data/quickstart/sample-agent.json"))).mode & 0o777).toBe(0o600);
});

test("it stays up, prints a command for the MCP Inspector whose token works for it alone and a link for the first owner, and ends with 0 on Ctrl-C", async () => {
  const quickstart = start([]);
  await quickstart.wrote("Press Ctrl-C to stop.");
  const [, url = "", authorization = ""] = INSPECTOR.exec(quickstart.stdout()) ?? [];
  const headers = {
    Authorization: authorization,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  };
  const send = (to: string, method: string, params?: object) =>
    fetch(to, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
  const response = await send(url, "tools/list");
  expect(response.status).toBe(200);
  const listed = await response.text();
  expect(listed).toContain("library_lendBook");
  expect(listed).toContain("board_postNotice");

  expect((await send(`http://localhost:${port + 2}/mcp`, "tools/list")).status).toBe(401);
  const novel = { name: "board_postNotice", arguments: { text: "Call me Ishmael. ".repeat(20) } };
  expect(await (await send(url, "tools/call", novel)).text()).toContain("A policy does not allow this call.");

  expect((await send(`http://localhost:${port + 4}/`, "tools/list")).status).toBe(403);
  headers.Authorization = `Bearer ${await letAnAgentAct("Ben Turner")}`;
  expect(
    await (await send(url, "tools/call", { name: "library_searchBooks", arguments: { query: "sea" } })).text(),
  ).toContain("Moby-Dick");
  const notice = { name: "board_postNotice", arguments: { text: "We have whales." } };
  expect(await (await send(url, "tools/call", notice)).text()).toContain("We have whales.");

  const pages = /^ {2}Web pages +(\S+) /m.exec(quickstart.stdout())?.[1] ?? "";
  expect(pages).toBe(`http://library.localhost:${port}`);
  expect(await visitPages(pages, "Ada Byron")).toEqual([
    [200, expect.stringContaining("Ada Byron (librarians)")],
    [200, expect.stringContaining("No book is lent.")],
  ]);
  expect(await visitPages(pages, "Ben Turner")).toEqual([
    [200, expect.stringContaining("Ben Turner (readers)")],
    [403, expect.stringContaining("Not allowed")],
  ]);

  const link = new URL(/^ {2}(http:\S+#token=[\w-]{43})$/m.exec(quickstart.stdout())?.[1] ?? "");
  expect(link.href).toContain(`http://localhost:${port}/console/setup#token=`);
  expect(await (await fetch(link)).text()).toContain("Console of the tests");

  quickstart.child.kill("SIGINT");
  const { code, stdout, stderr } = await quickstart.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/Stopping\.\n$/);
  await expect(fetch(url)).rejects.toThrow();
});

test("once there is an owner, it prints the command for a sign-in link, which leads to the port that was chosen", async () => {
  await countersign("owner", "-config", "data/quickstart/countersign.yaml", "-email", "ada@example.com");
  const quickstart = start([]);
  await quickstart.wrote("Press Ctrl-C to stop.");
  expect(quickstart.stdout()).not.toContain("#token=");
  expect(await signedIn(quickstart.stdout())).toMatchObject({ origin: `http://localhost:${port}`, status: 200 });

  quickstart.child.kill("SIGINT");
  expect(await quickstart.ended).toMatchObject({ code: 0, stderr: "" });
});

test("what an owner publishes in the Console is served, after a restart too, and on another port", async () => {
  const served = async (
    onPort: number,
    revision: number,
    { line = "Countersign is up .*", environment = {} }: { readonly line?: string; readonly environment?: object } = {},
  ) => {
    const quickstart = start([], onPort, { ...environment });
    await quickstart.wrote("Press Ctrl-C to stop.");
    expect(chapters(quickstart.stdout())).toContain("audit record");
    expect(quickstart.stdout()).toMatch(new RegExp(`^${line}$`, "m"));
    const owner = await signedIn(quickstart.stdout());
    const { body } = await owner.asked("GET", "/deployment");
    expect(body).toMatchObject({ signing: "service", ...(revision > 0 && { active: { revision } }) });
    return { quickstart, owner };
  };
  const stopped = async ({ child, ended }: ReturnType<typeof start>) => {
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  };

  const first = await served(port, 0);
  const body = { artifact: await withShelf(port), revision: 1, reason: "A shelf" };
  expect(await first.owner.asked("POST", "/deployment/revisions", body)).toMatchObject({ status: 201 });
  expect(await toolsOf(first.quickstart.stdout())).toContain("shelf_listLoans");
  await stopped(first.quickstart);

  const second = await served(port, 1);
  expect(await toolsOf(second.quickstart.stdout())).toContain("shelf_listLoans");
  await stopped(second.quickstart);

  const other = await freeNeighbours();
  const moved = ".* \\(revision 1\\) is for other ports: it is published for these as revision 2\\.";
  const third = await served(other, 2, { line: moved, environment: { SHELF_NAME: "Library and shelf" } });
  expect(await toolsOf(third.quickstart.stdout())).toContain("shelf_listLoans");
  const { body: shown } = await third.owner.asked("GET", "/deployment/document");
  expect(JSON.stringify(shown)).toContain(`http://localhost:${other + 1}`);
  expect(JSON.stringify(shown)).not.toContain(String(port));
  const named = { artifact: await withShelf(other, "SHELF_NAME"), revision: 3 };
  expect(await third.owner.asked("POST", "/deployment/revisions", named)).toMatchObject({ status: 201 });
  await stopped(third.quickstart);

  const unusable =
    "The configuration .* cannot be used: the quickstart's own is published as revision 4\\. .*SHELF_NAME.*";
  const fourth = await served(other, 4, { line: unusable });
  expect(await toolsOf(fourth.quickstart.stdout())).not.toContain("shelf_listLoans");
  await stopped(fourth.quickstart);
});

test.each([
  [0, "Countersign"],
  [1, "the sample API"],
  [2, "the sample MCP server"],
  [3, "the sample OpenID provider"],
  [4, "the sample web pages"],
])("a taken port is one line that names it and how to choose another", async (offset, user) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port + offset, "localhost", resolve));
  try {
    const { code, stdout, stderr } = await start([]).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      `Port ${port + offset}, for ${user}, is taken; choose another with the variable PORT, for example PORT=9000.\n`,
    );
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

test.each(["abc", "0", "65532", "80.5"])("PORT=%s is refused in one line", async (value) => {
  const { code, stderr } = await start(["-once"], value).ended;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `PORT is "${value}"; it has to be a whole number from 1 to 65531.\n`,
  });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], onPort: number | string = port, environment: NodeJS.ProcessEnv = {}) {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, [CONSOLE_BUILD_VARIABLE]: build.folder, ...environment, PORT: String(onPort) },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.on("data", (chunk: Buffer) => {
      written[name] += chunk.toString();
    });
  }
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...written })));
  const wrote = (text: string) => expect.poll(() => written.stdout, { timeout: 20_000 }).toContain(text);
  return { child, ended, wrote, stdout: () => written.stdout };
}

/** A person allows an agent that has registered itself, signs in at the sample provider, and out again; the agent's token. */
async function letAnAgentAct(person: string) {
  const redirect = "http://localhost:3118/callback";
  const registered = { redirect_uris: [redirect], token_endpoint_auth_method: "none" };
  const agent = await openid.dynamicClientRegistration(new URL(`http://localhost:${port}`), registered, openid.None(), {
    execute: [openid.allowInsecureRequests],
  });
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const resource = `http://localhost:${port}/mcp`;
  const authorization = openid.buildAuthorizationUrl(agent, {
    redirect_uri: redirect,
    scope: "library:read board:write",
    resource,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const browser = openBrowser((address) => !address.href.startsWith(redirect));
  const people = await browser.press(await browser.open(authorization), "Allow");
  const { url: back } = await browser.press(people, person);
  const { access_token: token } = await openid.authorizationCodeGrant(agent, back, { pkceCodeVerifier }, { resource });
  // Signing out leads by the provider, and back.
  const signOut = await browser.open(`http://localhost:${port}/oauth2/logout`);
  const { html, way } = await browser.press(signOut, "Sign out");
  expect(way.map((address) => new URL(address).port)).toEqual([port, port + 3, port].map(String));
  expect(html).toContain("You are signed out");
  return token;
}

/** A person signs in for the library's web pages; how their first page and the lending desk answer. */
async function visitPages(pages: string, person: string) {
  const PAGE = { "sec-fetch-mode": "navigate", accept: "text/html" };
  const browser = openBrowser(
    () => true,
    (url, init) => browserFetch(url, { ...init, headers: { ...PAGE, ...(init.headers as Record<string, string>) } }),
  );
  const books = await browser.press(await browser.open(pages), person);
  const desk = await browser.open(new URL("/desk", pages));
  return [books, desk].map(({ response, html }) => [response?.status, html]);
}

/** The owner of the quickstart that has printed this, signed in by a link. */
async function signedIn(stdout: string) {
  const [, args = ""] = /^ {2}npm run -s countersign -- (owner .* EMAIL)$/m.exec(stdout) ?? [];
  const made = await countersign(...args.replace("EMAIL", "ada@example.com").split(" "));
  const link = new URL(made.stdout.trim());
  const send = (method: string, path: string, body?: unknown, cookie = "") =>
    fetch(new URL(`/api/v1${path}`, link), {
      method,
      headers: { "Content-Type": "application/json", cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const signIn = await send("POST", "/sign-in/link", { token: link.hash.replace("#token=", "") });
  const cookie = signIn.headers.getSetCookie()[0]?.split(";")[0];
  return {
    origin: link.origin,
    status: signIn.status,
    asked: async (method: string, path: string, body?: unknown) => {
      const answer = await send(method, path, body, cookie);
      return { status: answer.status, body: (await answer.json()) as unknown };
    },
  };
}

/**
 * The example with one app more, compiled as the Console's editor does it: the text of the artifact.
 * @param variable names the gateway
 */
async function withShelf(onPort: number, variable?: string): Promise<string> {
  const samples = { library: onPort + 1, board: onPort + 2, provider: onPort + 3, desk: onPort + 4 };
  const artifact = await quickstartConfiguration({ server: onPort, ...samples });
  const { catalogs } = artifact;
  const document = artifact.document as Written;
  const apps = [...document.apps, { ...document.apps[0], name: "shelf" }];
  const shelf = JSON.parse(JSON.stringify(catalogs.library).replaceAll("library_", "shelf_"));
  const place = { path: ["mcpProvider", "serverName"], line: 1, column: 1 };
  const named =
    variable === undefined ? document : { ...document, mcpProvider: { ...document.mcpProvider, serverName: null } };
  const placeholders = variable === undefined ? [] : [{ ...place, parts: [{ env: variable }] }];
  return JSON.stringify({ ...artifact, document: { ...named, apps }, placeholders, catalogs: { ...catalogs, shelf } });
}

interface Written {
  readonly apps: readonly object[];
  readonly mcpProvider: object;
}

/** The names of the tools that the sample agent sees, with the token that was printed for the Inspector. */
async function toolsOf(stdout: string): Promise<string> {
  const [, url = "", authorization = ""] = INSPECTOR.exec(stdout) ?? [];
  const response = await fetch(url, {
    method: "POST",
    headers: {
      Authorization: authorization,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  return response.text();
}

/** The command line, in the folder of the quickstart. */
async function countersign(...args: readonly string[]) {
  return promisify(execFile)(process.execPath, [cli, ...args], { cwd: folder });
}

function chapters(stdout: string): string[] {
  return [...stdout.matchAll(/^ {2}([a-z ]+?) {2,}/gm)].map((match) => match[1] as string);
}
