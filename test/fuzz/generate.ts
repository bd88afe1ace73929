import { correctAssertion, correctForm, type Mutation, type MutationContext, signDraft } from "./draft.ts";
import { claimMutations, headerMutations } from "./mutations/claims.ts";
import { byteMutations, parameterMutations, serializations } from "./mutations/form.ts";
import { httpMutations } from "./mutations/http.ts";
import { jsonMutations } from "./mutations/json.ts";
import { segmentMutations } from "./mutations/segments.ts";
import type { EndpointName } from "./reference.ts";
import type { WireRequest } from "./wire.ts";

export interface Generated {
  readonly request: WireRequest;
  /** The assertion before it was spoilt; it must not be logged. */
  readonly assertion: string;
}

/** What a lane remembers, so that requests can refer to earlier ones. */
export interface Memory {
  /** Tokens of its own that were issued, newest last. */
  readonly tokens: string[];
  /** Requests that succeeded, newest last. */
  readonly accepted: WireRequest[];
}

type Stage = "claims" | "header" | "json" | "segments" | "parameters" | "bytes" | "http";
const STAGES: readonly Stage[] = ["claims", "claims", "header", "json", "segments", "parameters", "bytes", "http"];

/** A request to the token, introspection or revocation endpoint: right in every fourth case, else with up to three changes. */
export function generate(context: MutationContext, memory: Memory): Generated {
  const { prng } = context;
  const changes = prng.chance(0.25) ? [] : Array.from({ length: 1 + prng.int(3) }, () => prng.pick(STAGES));
  const change = <T>(stage: Stage, value: T, mutations: readonly Mutation<T>[]): T =>
    changes.filter((name) => name === stage).reduce((changed) => prng.pick(mutations)(changed, context), value);

  const endpoint: EndpointName = prng.pick(["token", "token", "token", "token", "introspect", "revoke"]);
  const draft = change("header", change("claims", correctAssertion(context), claimMutations), headerMutations);
  const assertion = signDraft(change("json", draft, jsonMutations));
  const sent = change("segments", assertion, segmentMutations);
  const form = correctForm(sent, endpoint, tokenOf(context, memory), context);
  const pairs = change("parameters", form, parameterMutations);
  const serialize = changes.includes("bytes") ? prng.pick(serializations) : serializations[0];
  const body = change("bytes", serialize?.(pairs, prng) ?? Buffer.alloc(0), byteMutations.concat(unchanged));
  const request: WireRequest = {
    method: "POST",
    target: `/oauth2/${endpoint}`,
    headers: [["Content-Type", "application/x-www-form-urlencoded"]],
    body,
    framing: { kind: "length" },
  };
  return { request: change("http", replayed(request, context, memory), httpMutations), assertion };
}

/** So that an odd serialization often stays as it is. */
const unchanged: readonly Mutation<Buffer>[] = Array.from({ length: 8 }, () => (body: Buffer) => body);

/** Now and then the very request that succeeded before. */
function replayed(request: WireRequest, { prng }: MutationContext, { accepted }: Memory): WireRequest {
  return accepted.length > 0 && prng.chance(0.05) ? prng.pick(accepted) : request;
}

/** For introspection and revocation: one of our own, a mistyped one, or none. */
function tokenOf({ prng }: MutationContext, { tokens }: Memory): string {
  const own = tokens.length > 0 ? prng.pick(tokens) : "none yet";
  return prng.pick([
    own,
    own,
    own,
    own.slice(0, -1),
    `${own}x`,
    own.toLowerCase(),
    own.replace("cst_us", "cst_uk"),
    prng.text(80),
  ]);
}
