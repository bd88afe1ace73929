import type { JsonObject } from "../../../json.ts";
import { UpstreamRefusal } from "../../refusal.ts";
import type { AnswerFacts } from "../../wire/answer-facts.ts";
import { UpstreamFailure, type UpstreamFailureReason } from "../../wire/upstream-failure.ts";
import type { Question } from "../waiting-calls.ts";

/** What comes of an order, as JSON whose numbers stay as they were written. The bytes of a long answer come between two of these. */
export type TurnEvent =
  | { readonly kind: "notified"; readonly message: JsonObject }
  /** The end, as all that follow. Without a text the answer was long. */
  | { readonly kind: "answered"; readonly facts: AnswerFacts; readonly text?: string; readonly status?: number }
  | { readonly kind: "asked"; readonly question: Question }
  | { readonly kind: "crowded" }
  /** No such call waits. */
  | { readonly kind: "over" }
  | { readonly kind: "failed"; readonly failure: ToldFailure };

export type ToldFailure =
  | {
      readonly kind: "refusal";
      readonly status: number;
      readonly error?: UpstreamRefusal["error"];
      readonly sessionId?: string;
    }
  | {
      readonly kind: "failure";
      readonly reason: UpstreamFailureReason;
      readonly message: string;
      readonly networkCause?: string;
    }
  /** Of ours; the log of the call's place says what. */
  | { readonly kind: "defect" };

export function toldFailure(cause: unknown): ToldFailure {
  if (cause instanceof UpstreamRefusal) {
    const { status, error, sessionId } = cause;
    return { kind: "refusal", status, ...(error && { error }), ...(sessionId !== undefined && { sessionId }) };
  }
  if (!(cause instanceof UpstreamFailure)) return { kind: "defect" };
  const { reason, message, networkCause } = cause;
  return { kind: "failure", reason, message, ...(networkCause !== undefined && { networkCause }) };
}

export function failureTold(told: ToldFailure): Error {
  switch (told.kind) {
    case "refusal": {
      const { status, error, sessionId } = told;
      const headers = new Headers(sessionId === undefined ? {} : { "mcp-session-id": sessionId });
      return new UpstreamRefusal({ status, error, headers });
    }
    case "failure":
      return new UpstreamFailure(told.reason, told.message, told.networkCause);
    case "defect":
      return new Error("The place of an upstream call failed; its log says why.");
  }
}
