import { afterEach, describe, expect, test } from "vitest";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { namesOf } from "../../lib/gateway/audit-call.ts";
import { argumentsDigest } from "../../lib/kernel/arguments-digest.ts";
import { canonicalJson } from "../../lib/kernel/canonical-json.ts";
import type { AuditLog } from "../../lib/stores/audit-log.ts";
import { RESOURCE } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

let broken: Partial<AuditLog> = {};
const it = withGateway({ adapt: withBrokenAudit });
afterEach(() => {
  broken = {};
});

/** The real log, except for the operations that a test breaks. */
function withBrokenAudit(dependencies: Dependencies): Dependencies {
  const real = dependencies.stores.auditLog;
  const auditLog: AuditLog = {
    begin: (event) => (broken.begin ?? real.begin)(event),
    complete: (event, completion) => (broken.complete ?? real.complete)(event, completion),
    append: (event) => (broken.append ?? real.append)(event),
    tally: (request) => real.tally(request),
    kept: (request) => real.kept(request),
    query: (filter, page) => real.query(filter, page),
  };
  return { ...dependencies, stores: { ...dependencies.stores, auditLog } };
}

const full = async () => {
  throw new Error("disk full");
};
const token = (scope = "notes:read") => it.server.sign({ aud: RESOURCE, scope });

describe("38. a record that cannot be written", () => {
  test("fails the call before it is made", async () => {
    broken = { begin: full };
    const before = it.upstream.requests.length;
    const response = await it.gateway.call("getNote", { noteId: "1" }, await token());
    const text = await response.text();
    expect(text).toContain('"code":-32603');
    expect(text).toContain("could not be recorded and was not made");
    expect(text).not.toContain("disk full");
    expect(it.upstream.requests).toHaveLength(before);
  });

  test("of a denial is 503", async () => {
    broken = { append: full };
    const response = await it.gateway.call("getNote", { noteId: "1" }, await token("other"));
    expect(response.status).toBe(503);
  });

  test("at the end leaves a record that reads unknown, and the agent its answer", async () => {
    broken = { complete: full };
    const response = await it.gateway.call("getNote", { noteId: "1" }, await token());
    expect(await response.text()).toContain("Hello.");
    const organization = await it.gateway.dependencies.stores.directory.firstOrganization();
    const { items } = await it.gateway.dependencies.stores.auditLog.query(
      { organizationId: organization?.organizationId, type: "tool.invoked" },
      { limit: 1 },
    );
    expect(items[0]).toMatchObject({ outcome: "unknown", tool: "getNote" });
    expect(it.gateway.logs.join("\n")).toContain("audit record not completed");
  });
});

test("the debug log names tool, app, agent and person of each call, and no argument", async () => {
  const from = it.gateway.logs.length;
  const user = { sub: "ada@example.com", client_id: "agent-x" };
  const token = (scope: string) => it.server.sign({ aud: RESOURCE, scope, ...user });
  await (await it.gateway.call("getNote", { noteId: "1" }, await token("notes:read"))).text();
  await (await it.gateway.call("getNote", { noteId: "2" }, await token("other"))).text();
  const entries = it.gateway.logs.slice(from).map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const calls = entries.filter(({ level, tool }) => level === "debug" && tool !== undefined);
  const named = { tool: "getNote", app: "notes", agent: "agent-x", user: "ada@example.com" };
  expect(calls).toMatchObject([
    { ...named, outcome: "success" },
    { ...named, outcome: "denied" },
  ]);
  expect(JSON.stringify(calls)).not.toContain("noteId");
});

describe("the digest of the arguments", () => {
  test("does not depend on the order of members, and tells different arguments apart", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "é" }], a: true })).toBe('{"a":true,"b":[1,{"c":"é","d":null}]}');
    expect(argumentsDigest({ a: 1, b: 2 })).toBe(argumentsDigest({ b: 2, a: 1 }));
    expect(argumentsDigest({ a: 1 })).not.toBe(argumentsDigest({ a: "1" }));
    expect(argumentsDigest(undefined)).toBe(argumentsDigest({}));
  });
});

test("32. what another organization calls its agents and people is not in the record of an app that they use", () => {
  const record = { clientId: "client_1", clientName: "Reporting" };
  const user = { sub: "user_1", email: `ada@example.com${"m".repeat(100)}` };
  const identity = { agent: { clientID: "client_1" }, user, ...{ record, organizationId: "org_a" } };
  const caller = { ...identity, issuer: "https://us.example", scopes: [], actChain: [], expiresAt: 0 };
  expect(namesOf(caller, "org_a")).toEqual({ names: { client_1: "Reporting", user_1: user.email.slice(0, 100) } });
  for (const other of ["org_b", undefined]) expect(namesOf(caller, other)).toEqual({});
});
