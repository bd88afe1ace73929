import { base64url } from "../../../kernel/encoding.ts";
import type { Random } from "../../../kernel/random.ts";
import type { WrittenAnswer } from "../../agent-side.ts";
import type { Forwarded } from "../../answer.ts";
import { leaveSession } from "../../session/end-session.ts";
import { byteSource } from "../../wire/byte-source.ts";
import { parseExact } from "../../wire/exact-json.ts";
import { aborted, brokenOff } from "../../wire/upstream-failure.ts";
import type { Attached, Turn, WaitingCalls } from "../waiting-calls.ts";
import { readFrames } from "./frames.ts";
import { failureTold, type Order, resumeOrder, startOrder, type TurnEvent } from "./orders.ts";

/**
 * Hands an order to the place of the call with this name, which there is from its first order on.
 *
 * @param order JSON
 * @returns frames: events, and the bytes of a long answer
 */
export type Place = (name: string, order: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;

/** Calls that are made elsewhere, each in a place of its own, where what they hold outlives the agent's request (D125). */
export function remoteWaitingCalls(random: Random, place: Place): WaitingCalls {
  return {
    start: async (call, attached) => {
      const name = base64url(random.bytes(16));
      const body = await atPlace(name, startOrder(call, attached), attached).catch((cause: unknown) => {
        leaveSession(call.session, attached.upstream);
        throw cause;
      });
      const turn = await readTurn(name, body, attached);
      if (turn === undefined) throw new Error("a call that begins is not over");
      return turn;
    },
    resume: async (back, attached) => {
      const body = await atPlace(back.name, resumeOrder(back, attached), attached);
      return readTurn(back.name, body, attached);
    },
  };

  async function atPlace(name: string, order: Order, { upstream }: Attached): Promise<ReadableStream<Uint8Array>> {
    const { signal } = upstream;
    try {
      return await place(name, JSON.stringify(order), signal);
    } catch (cause) {
      throw signal.aborted ? aborted() : cause;
    }
  }
}

/** What comes goes to the agent's request as it comes, until the turn has ended. */
async function readTurn(
  name: string,
  body: ReadableStream<Uint8Array>,
  { upstream, listener }: Attached,
): Promise<Turn | undefined> {
  const { agent, signal } = upstream;
  let answer: ReturnType<typeof agent.openAnswer> | undefined;
  try {
    for await (const frame of readFrames(byteSource(body, signal))) {
      if (frame.kind === "bytes") {
        answer ??= agent.openAnswer();
        await answer.write(frame.bytes);
        continue;
      }
      const event = parseExact(frame.text) as TurnEvent;
      if (event.kind === "notified") listener.notified(event.message);
      else return turnTold(event, name, answer);
    }
    throw brokenOff();
  } catch (cause) {
    answer?.withdraw();
    throw cause;
  }
}

function turnTold(
  event: Exclude<TurnEvent, { kind: "notified" }>,
  name: string,
  written: WrittenAnswer | undefined,
): Turn | undefined {
  switch (event.kind) {
    case "answered": {
      const { facts, text, status } = event;
      const whole = { kind: "message", text: text ?? "", ...(status !== undefined && { status }) } as const;
      const forwarded: Forwarded = written === undefined ? whole : { kind: "written", answer: written };
      return { kind: "answered", answer: { facts, forwarded } };
    }
    case "asked":
      return { kind: "asked", name, question: event.question };
    case "crowded":
      return event;
    case "over":
      return undefined;
    case "failed":
      throw failureTold(event.failure);
  }
}
