import { useSend } from "../../api/use-send.ts";
import type { ServerTool, Transport } from "../../configuration-check/protocol.ts";

/** What an MCP server says of itself, or that it asks for credentials. */
export type ServerAnswer =
  | { readonly outcome: "unauthorized" }
  | {
      readonly outcome: "answered";
      readonly name: string;
      readonly version: string;
      readonly title?: string;
      readonly protocolVersion: string;
      readonly tools: readonly ServerTool[];
      readonly prompts: number;
      readonly resources: number;
    };

export interface ServerQuestion {
  readonly url: string;
  readonly transport: Transport;
  /** For this question alone; nobody keeps them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds: the instance asks another host. */
const TIMEOUT = 60_000;

/** Asks an MCP server through the instance, which can reach what the browser cannot. */
export function useLook(onAnswer?: (answer: ServerAnswer, question: ServerQuestion) => void) {
  return useSend<ServerAnswer, ServerQuestion>(
    (body) => ({ method: "POST", path: "/deployment/mcp-servers", body, timeout: TIMEOUT }),
    { onDone: ({ body }, question) => onAnswer?.(body, question) },
  );
}
