import type { Json } from "../support/mcp-agent/agent.ts";

/** How a request ended: with a result, or with a JSON-RPC error as it was on the wire. */
export async function outcomeOf(work: Promise<Json>): Promise<Json> {
  try {
    return { result: await work };
  } catch (cause) {
    if (!(cause instanceof Error) || !("code" in cause)) throw cause;
    const { code, data } = cause as Error & { readonly code: unknown; readonly data?: unknown };
    // Version 1 of the SDK says it in front of what the server wrote.
    return { error: { code, message: cause.message.replace(/^(MCP error -?\d+: )+/, ""), data } };
  }
}

/** All texts of a tool's result. */
export function textOf({ content }: Json): string {
  const blocks = Array.isArray(content) ? (content as readonly Json[]) : [];
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}
