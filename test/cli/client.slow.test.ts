import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkplace, type Workplace } from "./countersign.ts";

let at: Workplace;
beforeAll(async () => {
  at = await createWorkplace();
});
afterAll(() => at?.remove());

test("client create prints one JSON object and writes a key of mode 0600 that openssl reads", async () => {
  const keyOut = join(at.folder, "ci.pem");
  const run = await at.countersign(
    ...["client", "create", "-name", "CI", "-description", "builds", "-scopes", "audit:read, books:lend"],
    ...["-resources", "https://gateway.example/mcp", "-keyOut", keyOut],
  );
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout.trim().split("\n")).toHaveLength(1);
  const printed = JSON.parse(run.stdout);
  expect(printed).toMatchObject({
    clientId: expect.stringMatching(/^client_/),
    keyPairId: expect.stringMatching(/^key_/),
    fingerprint: expect.stringMatching(/^[\w-]{43}$/),
    name: "CI",
    description: "builds",
    scopes: ["audit:read", "books:lend"],
    resources: ["https://gateway.example/mcp"],
  });
  expect(statSync(keyOut).mode & 0o777).toBe(0o600);
  expect(execFileSync("openssl", ["pkey", "-in", keyOut, "-noout", "-check"], { encoding: "utf8" })).toContain("valid");
  expect(run.stdout).not.toContain("PRIVATE");

  const shown = await at.countersign("client", "show", "-client", printed.clientId);
  expect(JSON.parse(shown.stdout)).toMatchObject({ name: "CI", keyPairs: [{ keyPairId: printed.keyPairId }] });
});

test("client create never overwrites a file, and creates nothing when it cannot write the key", async () => {
  const before = await clients();
  const taken = join(at.folder, "taken.pem");
  writeFileSync(taken, "precious");
  const run = await at.countersign("client", "create", "-name", "x", "-keyOut", taken);
  expect(run).toMatchObject({
    code: 2,
    stdout: "",
    stderr: `${taken} exists already; a key never overwrites a file.\n`,
  });
  expect(readFileSync(taken, "utf8")).toBe("precious");
  const nowhere = await at.countersign("client", "create", "-name", "x", "-keyOut", join(at.folder, "none", "k.pem"));
  expect(nowhere).toMatchObject({ code: 2, stdout: "" });
  expect(nowhere.stderr).toContain("no such file");
  const refused = await at.countersign("client", "create", "-name", "x", "-keyOut", join(unwritableFolder(), "k.pem"));
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/^\S+ cannot be created: [^\n]+\.\n$/);
  expect(await clients()).toEqual(before);
});

test("client create says all that is wrong in terms of its flags and leaves no key file behind", async () => {
  const keyOut = join(at.folder, "refused.pem");
  const run = await at.countersign("client", "create", "-name", " ", "-scopes", "ok,members:write", "-keyOut", keyOut);
  expect(run).toMatchObject({ code: 2, stdout: "" });
  expect(run.stderr).toMatch(/^-name must have 1 to 200 characters; -scopes: entry 2 administers.*\.\n$/);
  expect(existsSync(keyOut)).toBe(false);
});

test("keys are added, generated or registered, and revoked, and a client is deleted", async () => {
  const { clientId } = JSON.parse((await create("rotating")).stdout);
  const own = join(at.folder, "own.pem");
  const ownPublic = join(at.folder, "own.pub.pem");
  execFileSync("openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", own], {
    stdio: "ignore",
  });
  execFileSync("openssl", ["pkey", "-in", own, "-pubout", "-out", ownPublic]);

  const refused = await at.countersign("client", "add-key", "-client", clientId, "-publicKey", own);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain("-publicKey is a private key");
  const registered = JSON.parse(
    (await at.countersign("client", "add-key", "-client", clientId, "-publicKey", ownPublic)).stdout,
  );
  const generated = await at.countersign("client", "add-key", "-client", clientId, "-keyOut", join(at.folder, "b.pem"));
  expect(generated.code).toBe(0);

  const { keyPairId } = registered;
  for (let i = 0; i < 2; i++) {
    const revoked = await at.countersign("client", "revoke-key", "-client", clientId, "-keyPair", keyPairId);
    expect(JSON.parse(revoked.stdout)).toMatchObject({ keyPairId, status: "revoked" });
  }
  const shown = JSON.parse((await at.countersign("client", "show", "-client", clientId)).stdout);
  expect(shown.keyPairs.map(({ status }: { status: string }) => status).toSorted()).toEqual([
    "active",
    "active",
    "revoked",
  ]);

  const deleted = await at.countersign("client", "delete", "-client", clientId, "-revokeTokens");
  expect(JSON.parse(deleted.stdout)).toEqual({ clientId, status: "deleted", revokeTokens: true });
  expect(await clients()).not.toContain(clientId);
  const gone = await at.countersign("client", "show", "-client", clientId);
  expect(gone).toMatchObject({ code: 4, stdout: "" });
  expect(gone.stderr).toContain("There is no such API client");
});

describe("a command line that is wrong ends with one line on stderr and nothing on stdout:", () => {
  const client = "client_00000000-0000-8000-8000-000000000000";
  test.each([
    [["client"]],
    [["client", "rename"]],
    [["client", "create", "-name", "x"]],
    [["client", "create", "-keyOut"]],
    [["client", "create", "-nmae", "x"]],
    [["client", "show"]],
    [["client", "show", "-client", client]],
    [["client", "delete", "-client", "x"]],
    [["client", "add-key", "-client", client]],
    [["client", "add-key", "-client", client, "-keyOut", "a", "-publicKey", "b"]],
    [["client", "add-key", "-client", client, "-publicKey", "/nonexistent"]],
    [["client", "revoke-key", "-client", client]],
    [["owner"]],
    [["owner", "-email", "nobody"]],
    [["token"]],
    [["token", "-issuer", "http://localhost:1", "-client", client, "-key", "/nonexistent"]],
  ])("%j", async (args) => {
    const run = await at.countersign(...args);
    expect(run).toMatchObject({ code: /^There is no /.test(run.stderr) ? 4 : 2, stdout: "" });
    expect(run.stderr.trim().split("\n")).toHaveLength(1);
    expect(run.stderr).not.toMatch(/\bat .*:\d+/);
  });
});

test("what the operator does is recorded with the operator's name", async () => {
  const { clientId } = JSON.parse((await create("audited")).stdout);
  const link = await at.countersign("owner", "-email", "audit@example.com");
  const server = await at.serve();
  try {
    const signIn = await fetch(`${at.url}/api/v1/sign-in/link`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: new URL(link.stdout.trim()).hash.replace("#token=", "") }),
    });
    const cookie = signIn.headers.getSetCookie()[0]?.split(";")[0] as string;
    const response = await fetch(`${at.url}/api/v1/audit-events?type=api_client.created`, {
      headers: { Cookie: cookie },
    });
    const { items } = (await response.json()) as { items: { actor: string; details: { clientId: string } }[] };
    const actor = `operator:${userInfo().username}`;
    expect(items.find(({ details }) => details.clientId === clientId)).toMatchObject({ actor, outcome: "success" });
  } finally {
    await server.stop();
  }
});

function create(name: string) {
  return at.countersign("client", "create", "-name", name, "-keyOut", join(at.folder, `${name}.pem`));
}

/** Permissions do not hold root back, but the kernel does. */
function unwritableFolder(): string {
  if (process.getuid?.() === 0) return "/proc";
  const folder = join(at.folder, "unwritable");
  mkdirSync(folder, { mode: 0o500 });
  return folder;
}

async function clients(): Promise<readonly string[]> {
  const { items } = JSON.parse((await at.countersign("client", "list")).stdout);
  return items.map(({ clientId }: { clientId: string }) => clientId);
}
