import { type CallCost, compareCalls } from "./call-cost.ts";
import { plainRequests, READ, WRITE } from "./requests.ts";

/** What the peer takes for the same document, each time that it starts, and for its calls. */
export interface PeerUsage extends CallCost {
  readonly milliseconds: number;
  /** Resident memory of the whole process at its highest when the tools are there, bytes. */
  readonly peak: number;
  readonly tools: number;
  /** Of the JSON text of its tools, as its `tools/list` answers. */
  readonly listed: number;
}

/** What is used of the peer; its own declarations import each other without extensions, which TypeScript finds nothing by. */
interface Peer {
  readonly ToolsManager: new (
    options: Readonly<Record<string, string>>,
  ) => {
    initialize(): Promise<void>;
    getAllTools(): readonly unknown[];
    getToolsWithIds(): Iterable<[string, unknown]>;
    findTool(name: string): { readonly toolId: string } | undefined;
  };
  readonly ApiClient: new (
    api: string,
  ) => {
    setTools(tools: ReadonlyMap<string, unknown>): void;
    executeApiCall(tool: string, given: unknown): Promise<unknown>;
  };
}

const { ApiClient, ToolsManager } = (await import("@ivotoby/openapi-mcp-server")) as unknown as Peer;
const [document = "", api = ""] = process.argv.slice(2);
// It tells of each tool.
console.error = () => undefined;
const manager = new ToolsManager({
  name: "peer",
  version: "1.0.0",
  apiBaseUrl: api,
  openApiSpec: document,
  specInputMethod: "file",
  transportType: "stdio",
  toolsMode: "all",
});
const startedAt = performance.now();
await manager.initialize();
const milliseconds = performance.now() - startedAt;
const peak = process.resourceUsage().maxRSS * 1024;
const tools = manager.getAllTools();
const listed = Buffer.byteLength(JSON.stringify({ tools }));

const client = new ApiClient(api);
client.setTools(new Map(manager.getToolsWithIds()));
const plain = plainRequests(api);
const cost = await compareCalls({
  get: { call: caller("git-get-ref", READ), fetch: plain.get },
  post: { call: caller("git-create-ref", WRITE), fetch: plain.post },
});
const usage: PeerUsage = { milliseconds, peak, tools: tools.length, listed, ...cost };
console.log(JSON.stringify(usage));

function caller(name: string, given: unknown): () => Promise<void> {
  const found = manager.findTool(name);
  if (found === undefined) throw new Error(`the peer has no tool ${name}`);
  return async () => {
    const answer = (await client.executeApiCall(found.toolId, given)) as { readonly ref?: unknown };
    if (answer.ref === undefined) throw new Error("the peer's answer is not the API's");
  };
}
