import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Mood } from "./moods.ts";

/** What is sent in one piece. */
const PIECE = 64 * 1024;
/** An answer is long from here on. */
const LONG = 256 * 1024;

export interface AnswerWriting {
  readonly response: ServerResponse;
  readonly mood: () => Mood;
  /** Half of it, and the connection breaks, whatever the mood. */
  readonly isHalf: boolean;
}

/** Writes an answer: as JSON, or as the last event of a stream that has begun. */
export async function writeAnswer(message: object, writing: AnswerWriting): Promise<void> {
  const { response, mood } = writing;
  const isStream = response.headersSent;
  if (!isStream) response.writeHead(200, { "content-type": "application/json" });
  const json = mood() === "broken_json" ? JSON.stringify(message).replace("{", "{{") : JSON.stringify(message);
  const text = isStream ? `data: ${json}\n\n` : json;
  const isCut = writing.isHalf || mood() === "half";
  const end = isCut ? Math.floor(text.length / 2) : text.length;
  for (let at = 0; at < end; at += PIECE) {
    if (response.destroyed) return;
    const isRoom = response.write(text.slice(at, Math.min(at + PIECE, end)));
    await (isRoom ? nextTurn() : drained(response));
    if (text.length > LONG && at > text.length / 2 && mood() === "die") process.kill(process.pid, "SIGKILL");
  }
  if (isCut) response.destroy();
  else response.end();
}

/** There is room again, or nobody reads any more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.removeListener("drain", settle);
      response.removeListener("close", settle);
      resolve();
    };
    response.once("drain", settle);
    response.once("close", settle);
    if (response.destroyed) settle();
  });
}
