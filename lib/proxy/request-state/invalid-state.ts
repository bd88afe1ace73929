import { INVALID_PARAMS } from "../../mcp/json-rpc.ts";

/** The agent sent a `requestState` that is none for this request: altered, somebody else's, of another call, or too old. */
export class InvalidRequestState extends Error {
  /** The JSON-RPC error for the agent. */
  readonly error: { readonly code: number; readonly message: string; readonly data: { readonly reason: string } };
  /** @param reason `invalid_request_state`, or what is more precise */
  constructor(message = "invalid requestState", reason = "invalid_request_state") {
    super(message);
    this.name = "InvalidRequestState";
    this.error = { code: INVALID_PARAMS, message, data: { reason } };
  }
}
