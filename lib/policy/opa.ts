import { isJsonObject } from "../kernel/json.ts";
import { fetchJson } from "../protocol/http/fetch-json.ts";
import { ALLOWED, DENIED, type Decision, failed, type PolicyInput, type RemotePolicy } from "./policy.ts";

export interface OpaOptions {
  readonly name: string;
  /** A document of OPA's data API, for example `http://localhost:8181/v1/data/gateway/result`. */
  readonly url: string;
  /** Milliseconds, the answer's body included. */
  readonly timeout: number;
  readonly forwardToken: boolean;
  readonly list: boolean;
}

/** What an agent may be told by a policy, characters. */
const MESSAGE_LIMIT = 1_000;

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

/** What connectors say of people is for comparisons alone, and nothing of it leaves. */
async function ask(
  { url, timeout }: OpaOptions,
  { attributes: _, ...input }: PolicyInput,
  fetch: typeof globalThis.fetch,
): Promise<Decision | { readonly result: unknown }> {
  try {
    const headers = { "content-type": "application/json" };
    const { status, body } = await fetchJson(fetch, url, {
      method: "POST",
      headers,
      body: JSON.stringify({ input: shown(input) }),
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

/** Claims by connector are for comparisons alone. */
function shown({ attributes: _, ...input }: PolicyInput): PolicyInput {
  return input;
}

/** A boolean, or a mapping with a boolean `allowed`. */
function decisionOf(result: unknown): Decision {
  const allowed = isJsonObject(result) ? result.allowed : result;
  if (typeof allowed !== "boolean") return failed("malformed_answer");
  if (allowed) return ALLOWED;
  const message = isJsonObject(result) ? result.external_message : undefined;
  if (typeof message !== "string" || message === "") return DENIED;
  return { outcome: "denied", message: message.slice(0, MESSAGE_LIMIT) };
}

/** As for a call, where it is the same for all tools; else the names of those that are allowed. */
function listOf(result: unknown): Decision | ReadonlySet<string> {
  const allowed = isJsonObject(result) ? result.allowed : result;
  if (!Array.isArray(allowed)) return decisionOf(result);
  return allowed.every((name) => typeof name === "string") ? new Set(allowed) : failed("malformed_answer");
}
