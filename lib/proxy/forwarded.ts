import type { Invocation } from "../bridge/response/invocation.ts";
import type { WrittenAnswer } from "./agent-side.ts";

/** What an upstream answered to a request of an agent, in the agent's own form. */
export type Forwarded =
  /** A whole JSON-RPC message. `status` is the one that the upstream refused the HTTP request with, if it did. */
  | { readonly kind: "message"; readonly text: string; readonly status?: number }
  /** It went out while it arrived, and waits to be committed. */
  | { readonly kind: "written"; readonly answer: WrittenAnswer };

/** The answer to a call with what the audit record says of it. */
export type ForwardedCall = Forwarded & Pick<Invocation, "outcome" | "reason" | "cause">;
