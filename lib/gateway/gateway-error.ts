export type GatewayErrorCode = "unknown_tool" | "insufficient_scope" | "denied_by_policy" | "not_recorded";

/** Why a call was not made. The message may leave the process; `scopes` are all that the tool needs. */
export class GatewayError extends Error {
  readonly code: GatewayErrorCode;
  readonly scopes: readonly string[];
  constructor(code: GatewayErrorCode, message: string, options: { scopes?: readonly string[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "GatewayError";
    this.code = code;
    this.scopes = options.scopes ?? [];
  }
}
