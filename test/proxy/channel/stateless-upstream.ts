import { type Came, type Json, listening, listOf } from "./session-upstream.ts";
import { streamOf, type TestStream } from "./stream.ts";

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

/** A `subscriptions/listen` that was answered. */
export interface Listening {
  readonly notifications: Json;
  readonly stream: TestStream;
  /** A notification, with what names the subscription. */
  tell(method: string, params?: Json): void;
}

/** An MCP server without sessions (2026-07-28) that tells what a test wants. */
export interface StatelessUpstream {
  readonly url: string;
  readonly came: readonly Came[];
  readonly listenings: readonly Listening[];
  close(): Promise<void>;
}

/** @param capabilities that it declares; it agrees to whatever is listened for */
export async function startStatelessUpstream(capabilities: Json): Promise<StatelessUpstream> {
  const came: Came[] = [];
  const listenings: Listening[] = [];
  const listen = ({ id, params = {} }: Came["message"]): Response => {
    const stream = streamOf();
    const notifications = params.notifications as Json;
    const _meta = { [SUBSCRIPTION_ID]: id };
    const tell: Listening["tell"] = (method, told) =>
      stream.send({ jsonrpc: "2.0", method, params: { ...told, _meta } });
    tell("notifications/subscriptions/acknowledged", { notifications });
    listenings.push({ notifications, stream, tell });
    return stream.response;
  };
  const answer = async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const text = await request.text();
    const message = JSON.parse(text) as Came["message"];
    const list = listOf(message.method);
    if (list !== undefined)
      return Response.json({ jsonrpc: "2.0", id: message.id, result: { resultType: "complete", ...list } });
    came.push({ session: request.headers.get("mcp-session-id"), text, message, headers: request.headers });
    const { id, method } = message;
    if (method === "subscriptions/listen") return listen(message);
    if (method === "server/discover") {
      const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities };
      return Response.json({ jsonrpc: "2.0", id, result });
    }
    const error = { code: -32601, message: "unknown" };
    return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
  };
  const { url, close } = await listening(answer);
  return {
    url,
    came,
    listenings,
    close: async () => {
      for (const { stream } of listenings) stream.end();
      await close();
    },
  };
}
