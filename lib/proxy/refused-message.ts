import type { AgentSide } from "./agent-side.ts";
import type { Failure } from "./failure-of.ts";
import type { Forwarded } from "./forwarded.ts";

/**
 * An upstream's error as the answer to the agent. Of its HTTP status goes along what the stateless generation tells by one; in a
 * session 404 would say that the agent's own session is lost.
 */
export function refusedMessage(
  error: NonNullable<Failure["error"]>,
  status: number | undefined,
  { id, generation }: Pick<AgentSide, "id" | "generation">,
): Extract<Forwarded, { kind: "message" }> {
  const isTold = generation === "stateless" && (status === 400 || status === 404);
  const text = JSON.stringify({ jsonrpc: "2.0", id, error });
  return { kind: "message", text, ...(isTold && { status }) };
}
