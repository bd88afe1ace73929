import type { JsonObject } from "../../kernel/json.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { InputRequest } from "../across-generations/input-requests.ts";
import type { UpstreamAnswer } from "../answer.ts";
import type { Listener } from "../deliver.ts";
import type { SpokenUpstream, UpstreamRequest } from "../spoken-upstream.ts";

/** A call at an upstream that may outlive the agent's request, as it may ask the agent for something. */
export interface OwnCall {
  readonly principal: string;
  /** As the session gets it. Its rules are those that the app and the method have. */
  readonly request: UpstreamRequest;
  /** Of this call alone. */
  readonly session: UpstreamSession;
  readonly instance: { readonly telemetry?: Telemetry | undefined; readonly stopping?: AbortSignal | undefined };
}

/** The agent's request that a call goes on for, as long as that request runs. */
export interface Attached {
  readonly upstream: SpokenUpstream;
  readonly listener: Listener;
  /** Of the agent's request. */
  readonly progressToken: unknown;
}

/** What comes of going on. */
export type Turn =
  | { readonly kind: "answered"; readonly answer: UpstreamAnswer }
  /** The call waits for the answer to this, under a name that nobody can guess. */
  | { readonly kind: "asked"; readonly name: string; readonly question: Question }
  /** It would have to wait, and too many do already: it was given up. */
  | { readonly kind: "crowded" };

export interface Question {
  /** Grows by one with each question of a call. */
  readonly round: number;
  readonly asked: InputRequest;
}

/** Where an agent comes back to, and with what. */
export interface Return {
  readonly principal: string;
  readonly name: string;
  readonly round: number;
  /** What the upstream asked for; absent: the agent does not bring it. */
  readonly result?: JsonObject;
}

/**
 * Makes calls that may have to wait while agents ask people: each until it is over, at most five minutes between two requests
 * of the agent. A call's session ends with it, however that ends.
 */
export interface WaitingCalls {
  /** @throws UpstreamRefusal; UpstreamFailure */
  start(call: OwnCall, attached: Attached): Promise<Turn>;
  /**
   * Gives the upstream what it asked for, and goes on until it asks again or answers. Where the upstream refuses to take it,
   * the call waits as before.
   *
   * @returns undefined where no such call of the principal waits for that
   * @throws UpstreamRefusal; UpstreamFailure
   */
  resume(back: Return, attached: Attached): Promise<Turn | undefined>;
}
