import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../../infra/node/commands/tools.ts";
import { CONFIGURATION, createWorkplace, tools, type Workplace } from "./workplace.ts";

const SERVERS = `  - name: desk
    type: mcpProxy
    upstream: {stream: {url: "https://desk.example/mcp?key=1"}}
    tools: {exclude: [/delete.*/]}
  - name: plain
    type: mcpProxy
    toolNamespace: {disabled: true}
    upstream: {transport: sse, sse: {url: "{{ env.PLAIN }}"}}
`;

let workplace: Workplace;
let config: readonly string[];
beforeAll(async () => {
  workplace = await createWorkplace();
  const file = join(workplace.folder, "servers.yaml");
  await writeFile(file, `${CONFIGURATION.replace("threshold: 2", "threshold: 20")}${SERVERS}`);
  config = ["-config", file];
});
afterAll(() => workplace.remove());

const DESK = { app: "desk", url: "https://desk.example/mcp?key=1", namespace: "desk_", exclude: ["/delete.*/"] };

test("MCP servers are shown beside the tools of REST APIs, and what agents see depends on them", async () => {
  const text = await tools(config);
  expect(text).toMatch(
    /\nAPP +MCP SERVER +TOOLS\ndesk +https:\/\/desk\.example\/mcp\?key=1 +desk_…, listed for each caller/,
  );
  expect(text).toMatch(/\nplain +\(filled at start\) +as it names them, listed for each caller when it asks\n/);
  expect(text).toMatch(
    /shown to agents: 5 tools, .* characters, and what 2 MCP servers list, or search_tools, .* instead/,
  );
  const { servers, offer } = JSON.parse(await tools([...config, "-json"]));
  expect(servers).toEqual([DESK, { app: "plain", url: null, namespace: "" }]);
  expect(offer).toMatchObject({ agentsSee: "depends", servers: 2 });
});

test("an app with an MCP server can be chosen", async () => {
  const { servers, tools: none } = JSON.parse(await tools([...config, "-app", "desk", "-json"]));
  expect([servers, none]).toEqual([[DESK], []]);
});

test("a name that may be a tool of an MCP server is said to be that", async () => {
  const io = { stdout: () => undefined, stderr: () => undefined, columns: undefined, environment: {} };
  const asked = run([...config, "-app", "desk", "-tool", "desk_open"], io);
  await expect(asked).rejects.toThrow(/^desk_open may be a tool of the MCP server of the app desk, which lists/);
  await expect(run([...config, "-app", "nobody"], io)).rejects.toThrow(/accepted: ledger, stock, desk, plain\.$/);
});
