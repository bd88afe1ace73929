import type { ServerResponse } from "node:http";
import { type AnswerWriting, writeAnswer } from "./answer.ts";
import type { UpstreamSettings } from "./moods.ts";
import type { ToolArguments } from "./texts.ts";
import { beSlow, RESOURCE_LIST, readResult, TOOL_LIST, toolResult } from "./tools.ts";

export interface RpcMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: Partial<ToolArguments>;
    readonly protocolVersion?: string;
    readonly _meta?: { readonly progressToken?: string | number };
  };
}

/** A request, and who makes it. */
export interface Asked {
  readonly message: RpcMessage;
  readonly principal: string;
  /** The label of its session, which the first call gives it. */
  readonly labelled: (label: string) => string;
  /** What each result of the generation has. */
  readonly finish: (result: object) => object;
  readonly settings: UpstreamSettings;
}

/** Answers what both generations have in common. */
export async function run(asked: Asked, writing: Omit<AnswerWriting, "isHalf">): Promise<void> {
  const { message, settings, finish } = asked;
  const { id, method, params = {} } = message;
  const isHalf = method === "tools/call" && params.name === "half";
  if (method === "tools/call" && (settings.isSlow || params.name === "slow")) {
    const token = params._meta?.progressToken;
    await beSlow((progress, total) => {
      tell(writing.response, { method: "notifications/progress", params: { progressToken: token, progress, total } });
    });
  }
  const result = resultOf(asked);
  const outcome =
    result === undefined ? { error: { code: -32601, message: "There is no such thing." } } : { result: finish(result) };
  await writeAnswer({ jsonrpc: "2.0", id, ...outcome }, { ...writing, isHalf });
}

/** A notification on the stream that answers, which begins with the first. */
export function tell(response: ServerResponse, message: object): void {
  if (response.destroyed) return;
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
}

function resultOf({ message, principal, labelled, settings }: Asked): object | undefined {
  const { method, params = {} } = message;
  if (method === "tools/list") return { tools: TOOL_LIST };
  if (method === "resources/list") return { resources: RESOURCE_LIST };
  if (method === "tools/call") {
    const { nonce = "", label = "" } = params.arguments ?? {};
    const said = { app: settings.name, what: params.name ?? "", nonce, principal, label: labelled(label) };
    return toolResult(said, { nonce, label });
  }
  if (method !== "resources/read") return undefined;
  const [nonce = "", label = ""] = (params.uri ?? "").slice("note://".length).split("/");
  return readResult({ app: settings.name, what: "read", nonce, principal, label: labelled(label) }, params.uri ?? "");
}
