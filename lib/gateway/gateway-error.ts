import type { LimitRefusal } from "../limits/refusal.ts";
import type { NotConnected } from "./credentials/person-token.ts";
import type { StepUp } from "./tool-terms.ts";

export type GatewayErrorCode =
  | "unknown_tool"
  | "not_admitted"
  | "insufficient_scope"
  | "insufficient_authentication"
  | "stopped"
  | "tool_held"
  | "limited"
  | "denied_by_policy"
  | "denied_by_rule"
  | "invalid_arguments"
  | "token_refused"
  | "credential_refused"
  | "credential_unavailable"
  | "no_person"
  | "not_connected"
  | "approval_needed"
  | "approval_refused"
  | "approval_used"
  | "too_many_approvals"
  | "access_requested"
  | "not_recorded";

interface Options {
  readonly scopes?: readonly string[];
  readonly stepUp?: StepUp;
  readonly limit?: LimitRefusal;
  readonly needs?: NotConnected;
  readonly reason?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Why a call was not made. The message may leave the process; `scopes` are all that a new token has to have, `stepUp` what
 * sign-in it has to come of.
 */
export class GatewayError extends Error {
  readonly code: GatewayErrorCode;
  readonly scopes: readonly string[];
  readonly stepUp: StepUp | undefined;
  /** Of `limited`. */
  readonly limit: LimitRefusal | undefined;
  /** Of `not_connected`. */
  readonly needs: NotConnected | undefined;
  /** Of the refusal, as its record has it; absent: there is none. */
  readonly reason?: string;
  constructor(code: GatewayErrorCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.name = "GatewayError";
    this.code = code;
    this.scopes = options.scopes ?? [];
    this.stepUp = options.stepUp;
    this.limit = options.limit;
    this.needs = options.needs;
    if (options.reason !== undefined) this.reason = options.reason;
  }
}
