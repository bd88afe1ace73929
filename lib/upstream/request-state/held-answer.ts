import type { AgentSide, AnswerWriter, WrittenAnswer } from "../agent-side.ts";
import type { UpstreamAnswer } from "../answer.ts";
import type { Upstream } from "../upstream.ts";
import { createJsonRewriter } from "../wire/json-rewriter.ts";
import { tooLarge } from "../wire/upstream-failure.ts";

/** Bytes of a request for input, which has to be whole before it goes on. */
const LIMIT = 1024 * 1024;

export const INPUT_REQUIRED = "input_required";

/**
 * Sends a request whose answer is a whole message where it asks for input (`resultType: "input_required"`). Long answers are held
 * until they tell that they do not; all others go out as they come.
 *
 * @throws UpstreamFailure `too_large` for a request for input above 1 MiB, and what `send` throws
 */
export async function withWholeInput(
  upstream: Upstream,
  send: (upstream: Upstream) => Promise<UpstreamAnswer>,
): Promise<UpstreamAnswer> {
  let held: HeldAnswer | undefined;
  const openAnswer = () => {
    held = holdAnswer(upstream.agent);
    return held;
  };
  const { forwarded, facts } = await send({ ...upstream, agent: { ...upstream.agent, openAnswer } });
  if (forwarded.kind === "message") return { forwarded, facts };
  const text = held?.text();
  if (text !== undefined) return { forwarded: { kind: "message", text }, facts };
  if (facts.resultType !== INPUT_REQUIRED) return { forwarded, facts };
  forwarded.answer.withdraw();
  throw tooLarge("The request for input", LIMIT);
}

interface HeldAnswer extends AnswerWriter, WrittenAnswer {
  /** All of it, where nothing went out. */
  text(): string | undefined;
}

function holdAnswer(agent: AgentSide): HeldAnswer {
  const reader = createJsonRewriter({});
  let chunks: Uint8Array[] = [];
  let length = 0;
  let out: (AnswerWriter & WrittenAnswer) | undefined;
  return {
    write: async (chunk) => {
      if (out !== undefined) return out.write(chunk);
      reader.push(chunk);
      chunks.push(chunk);
      length += chunk.length;
      const { resultType } = reader.facts();
      if (length <= LIMIT && (resultType === undefined || resultType === INPUT_REQUIRED)) return;
      if (resultType === INPUT_REQUIRED) throw tooLarge("The request for input", LIMIT);
      out = agent.openAnswer();
      for (const kept of chunks.splice(0)) await out.write(kept);
    },
    commit: () => out?.commit(),
    withdraw: () => {
      chunks = [];
      out?.withdraw();
    },
    text: () => (out === undefined ? textOf(chunks) : undefined),
  };
}

function textOf(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}
