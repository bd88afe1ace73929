import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";

/** An MCP server of the SDK in this process, whose one tool `ask` is a task that asks for a name before it is done. */
export interface TaskServer {
  readonly fetch: typeof globalThis.fetch;
  /** JSON of all messages that came, in order. */
  readonly received: readonly string[];
}

/** Milliseconds. */
const TTL = 60_000;
const POLL = 10;

export function taskServer(title: string): TaskServer {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const received: string[] = [];
  return {
    received,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.method === "POST") received.push(await request.clone().text());
      const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
      if (known !== undefined) return known.handleRequest(request);
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (begun) => void sessions.set(begun, transport),
      });
      await createServer(title).connect(transport);
      return transport.handleRequest(request);
    },
  };
}

function createServer(title: string): McpServer {
  const server = new McpServer(
    { name: title, version: "1" },
    {
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  server.experimental.tasks.registerToolTask(
    "ask",
    { description: "Asks for a name", execution: { taskSupport: "required" } },
    {
      createTask: async ({ taskStore }) => {
        const task = await taskStore.createTask({ ttl: TTL, pollInterval: POLL });
        const { taskId } = task;
        const work = async () => {
          await taskStore.updateTaskStatus(taskId, "input_required");
          const asked = { method: "elicitation/create" as const, params: { message: "Who?", requestedSchema: NAME } };
          const { content } = await server.server.request(asked, ElicitResultSchema, { relatedTask: { taskId } });
          const text = `${title}: ${content?.name}`;
          await taskStore.storeTaskResult(taskId, "completed", { content: [{ type: "text", text }] });
        };
        // A task that is cancelled meanwhile has nowhere to go with its result.
        work().catch(() => undefined);
        return { task };
      },
      getTask: async ({ taskId, taskStore }) => taskStore.getTask(taskId),
      getTaskResult: async ({ taskId, taskStore }) => {
        const { content } = await taskStore.getTaskResult(taskId);
        return { content: content as [] };
      },
    },
  );
  return server;
}

const NAME = { type: "object" as const, properties: { name: { type: "string" as const } } };
