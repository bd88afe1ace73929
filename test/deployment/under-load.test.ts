import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { STATELESS_META } from "../behaviour/gateway-fixture.ts";
import { ISSUER } from "../support/in-process.ts";
import { bridgeApp } from "../support/yaml.ts";
import { artifactFrom } from "./bundles.ts";
import { startLive } from "./live.ts";

const PUBLICATIONS = 200;
const CALLERS = 10;
const TOOLS = 5;

/** Two apps whose every tool names the revision. */
function revision(number: number) {
  const paths = Array.from({ length: TOOLS }, (_, tool) => {
    const operation = `{operationId: tool${tool}, summary: revision ${number}, responses: {"204": {description: done}}}`;
    return `  /tools/${tool}: {get: ${operation}}`;
  });
  const openapi = `openapi: 3.1.0\ninfo: {title: Tools, version: "1"}\npaths:\n${paths.join("\n")}`;
  return artifactFrom(`version: "${number}"
http: {publicURL: "${ISSUER}"}
store: {path: ./data}
mcpProvider:
  enabled: true
  serverName: revision ${number}
  transports: {stream: {enabled: true, path: /mcp}}
apps:
${bridgeApp("one", openapi)}${bridgeApp("other", openapi)}`);
}

test("81. of 200 configurations that are taken over under load each answer is of one, and none fails", async () => {
  const artifacts = await Promise.all(Array.from({ length: PUBLICATIONS + 1 }, (_, number) => revision(number)));
  const [first, ...published] = artifacts;
  const { it, kept } = await startLive(first as (typeof artifacts)[0]);
  let taken = 0;
  const seen = new Set<string>();
  const params = { _meta: STATELESS_META };
  const ask = async () => {
    const response = await it.send("/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params }),
    });
    const text = await response.text();
    const named = text.match(/revision \d+/g) ?? [];
    // Each tool by title and description, and the server by its name.
    expect([response.status, named.length]).toEqual([200, 4 * TOOLS + 1]);
    expect(new Set(named).size).toBe(1);
    seen.add(named[0] ?? "");
  };
  try {
    const callers = Array.from({ length: CALLERS }, async () => {
      while (taken < PUBLICATIONS) {
        await ask();
        // Nothing of this waits for anything: others have their turn, too.
        await setImmediate();
      }
    });
    for (const artifact of published) {
      await kept.takeOver(artifact, () => Promise.resolve());
      taken += 1;
      // Whoever asks now is answered by it.
      await ask();
      expect(seen).toContain(`revision ${taken}`);
    }
    await Promise.all(callers);
    await ask();
    expect(kept.snapshot().configuration.version).toBe(String(PUBLICATIONS));
  } finally {
    await it.close();
  }
});
