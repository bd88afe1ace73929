import type { UpstreamAnswer } from "../answer.ts";
import type { InputRequest } from "../bridge/input-requests.ts";
import type { Listener } from "../deliver.ts";
import type { Upstream } from "../upstream.ts";

/** The agent's request that a call goes on for, as long as that request runs. */
export interface Attached {
  readonly upstream: Upstream;
  readonly listener: Listener;
  /** Of the agent's request. */
  readonly progressToken: unknown;
}

/** What comes of going on. */
export type Turn =
  | { readonly kind: "answered"; readonly answer: UpstreamAnswer }
  /** The call waits for the answer to this. */
  | { readonly kind: "asked"; readonly question: Question };

export interface Question {
  /** Grows by one with each question of a call. */
  readonly round: number;
  readonly asked: InputRequest;
}

/** A call at an upstream that may outlive the agent's request, as it asked the agent for something. */
export interface WaitingCall {
  /** What it waits for; undefined while it goes on, and when it is over. */
  question(): Question | undefined;
  /**
   * Gives the upstream what it asked for, and goes on until it asks again or answers. Where the upstream refuses to take it, the
   * call waits as before.
   *
   * @throws UpstreamRefusal; UpstreamFailure
   */
  answer(result: unknown, attached: Attached): Promise<Turn>;
  /** Gives the call up; nothing comes of it any more. */
  abandon(): void;
  /** Resolves when it is over, however. */
  readonly over: Promise<void>;
}

/** Where calls stay while agents ask people: each until it is over, at most five minutes between two requests of the agent. */
export interface WaitingCalls {
  /** The name that finds the call; undefined where there are too many, of the principal or at all. */
  hold(principal: string, call: WaitingCall): string | undefined;
  find(name: string): WaitingCall | undefined;
}
