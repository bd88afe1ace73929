import { fetchJson } from "../protocol/http/fetch-json.ts";
import { decisionOf, listOf } from "./document-decision.ts";
import { type Decision, failed, type PolicyInput, type RemotePolicy, withoutAttributes } from "./policy.ts";

export interface OpaOptions {
  readonly name: string;
  /** A document of OPA's data API, for example `http://localhost:8181/v1/data/gateway/result`. */
  readonly url: string;
  /** Milliseconds, the answer's body included. */
  readonly timeout: number;
  readonly forwardToken: boolean;
  readonly list: boolean;
}

/** A policy that an OPA server evaluates (OPA, REST API, Data API: "Get a Document (with Input)"). */
export function createOpaPolicy(options: OpaOptions, fetch: typeof globalThis.fetch): RemotePolicy {
  const { name, list, forwardToken } = options;
  return {
    cost: "remote",
    name,
    decidesOnListing: list,
    seesToken: forwardToken,
    decide: async (input) => {
      const answer = await ask(options, input, fetch);
      return "outcome" in answer ? answer : decisionOf(answer.result);
    },
    list: async (input) => {
      const answer = await ask(options, input, fetch);
      return "outcome" in answer ? answer : listOf(answer.result);
    },
  };
}

async function ask(
  { url, timeout }: OpaOptions,
  input: PolicyInput,
  fetch: typeof globalThis.fetch,
): Promise<Decision | { readonly result: unknown }> {
  try {
    const headers = { "content-type": "application/json" };
    const { status, body } = await fetchJson(fetch, url, {
      method: "POST",
      headers,
      body: JSON.stringify({ input: withoutAttributes(input) }),
      timeout,
    });
    if (status !== 200) return failed(`status_${status}`);
    if (body === undefined) return failed("malformed_answer");
    // OPA leaves the result out where the document is undefined for this input.
    return body.result === undefined ? failed("undefined_decision") : { result: body.result };
  } catch (cause) {
    return failed(cause instanceof Error && cause.name === "TimeoutError" ? "timeout" : "unreachable");
  }
}
