import { execFileSync, spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSigner, issueToken, manage, requestToken } from "../behaviour/fixture.ts";
import { bearer, call, type GatewayUnderTest, gatewayToken, post, startGateway } from "../behaviour/gateway-fixture.ts";
import { isActive } from "../hostile/tenants.ts";
import { node } from "../runtimes/node.ts";
import { eventually } from "../support/eventually.ts";

/** Linux limits the files of a process that runs: what it writes beyond fails, and no rights are needed for that. Elsewhere nothing is shown. */
const CAN_LIMIT = spawnSync("prlimit", ["--version"]).status === 0;

let it: GatewayUnderTest;
beforeAll(async () => {
  it = await startGateway(node, { alone: true });
});
afterAll(() => it.stop());

function limitFiles(bytes: string): void {
  execFileSync("prlimit", ["--pid", String(it.us.pid), `--fsize=${bytes}:unlimited`]);
}

async function statusOf(): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${it.us.url}/status`);
  return { status: response.status, body: await response.json() };
}

describe("a store that keeps nothing that is written", () => {
  test("41. answers 503 to what writes, in the form of each surface, reads on, makes no call, and resumes by itself", async () => {
    if (!CAN_LIMIT) return;
    const { us, owner, reader, upstream } = it;
    const token = await gatewayToken(us, reader);
    const headers = bearer(token);
    const call1 = await post(us, call("listNotes"), headers);
    expect(call1.status).toBe(200);
    await call1.text();
    const asked = upstream.requests.length;
    limitFiles("0");

    const refused = [await requestToken(us, reader), await manage(owner, "POST", "/api-clients", { name: "another" })];
    for (const answer of refused) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(await answer.json()).toMatchObject({ type: "urn:countersign:problem:unavailable" });
    }
    expect(await statusOf()).toEqual({
      status: 503,
      body: { status: "down", components: [{ name: "store", status: "down" }] },
    });
    const called = await post(us, call("listNotes", {}, 7), headers);
    expect([called.status, called.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await called.json()).toMatchObject({
      id: 7,
      error: { message: "The call could not be recorded and was not made." },
    });
    expect(upstream.requests).toHaveLength(asked);
    expect((await manage(owner, "GET", "/api-clients")).status).toBe(200);
    expect((await manage(owner, "GET", "/audit-events")).status).toBe(200);
    expect(await isActive(us, token)).toBe(true);
    expect((await post(us, { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers)).status).toBe(200);

    limitFiles("unlimited");
    await eventually(statusOf, ({ status }) => status === 200);
    await issueToken(us, await createSigner(owner));
    expect((await post(us, call("listNotes"), headers)).status).toBe(200);
    const messages = us.logs().map((line) => JSON.parse(line) as { level: string; msg: string });
    const said = messages.filter(({ msg }) => msg.startsWith("the store keeps")).map(({ level, msg }) => [level, msg]);
    expect(said).toEqual([
      ["error", "the store keeps nothing that is written; requests that write are answered 503"],
      ["info", "the store keeps what is written again"],
    ]);
    expect(us.logs().join("\n")).not.toMatch(/\bat .*\.ts:\d/);
  });
});
