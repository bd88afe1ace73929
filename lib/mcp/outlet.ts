import type { JsonObject } from "../json.ts";
import type { AnswerWriter, WrittenAnswer } from "../proxy/agent-side.ts";
import type { RequestId } from "./message.ts";
import { messageText } from "./message-text.ts";

/** The answer to one request: an object, or a whole message that is JSON already. */
export type Answer = ({ readonly message: JsonObject } | { readonly text: string }) & {
  /** Of the HTTP answer, where this is all of it. */
  readonly status?: number | undefined;
};

/** An answer whose bytes come one after another, and which is one when it is committed. */
export type OpenAnswer = AnswerWriter & WrittenAnswer;

/** Where the requests of one HTTP request send what comes of them. */
export interface Outlet {
  readonly answer: (answer: Answer) => void;
  /** A notification or a request goes to the client, in order with everything else; nowhere where the answer is no stream. */
  readonly relay: (message: JsonObject) => void;
  /** `write` rejects with an `UpstreamFailure` where the answer is too long to be collected. */
  readonly openAnswer: (id: RequestId) => OpenAnswer;
  /** Whether requests that are relayed reach the client, which has to know what they belong to: not in batches. */
  readonly hears: boolean;
}

/** Carries out requests of one HTTP request; settles when all are answered. */
export type Work = (outlet: Outlet, signal: AbortSignal) => Promise<void>;

export function answerText(answer: Answer): string {
  return "text" in answer ? answer.text : messageText(answer.message);
}
