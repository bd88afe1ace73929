import { sha256base64url } from "#sha256";
import type { Configuration, ConfigurationSnapshot } from "../../config/configuration.ts";
import { canonicalJson } from "../../kernel/canonical-json.ts";
import type { Clock } from "../../kernel/clock.ts";
import { fromBase64url, utf8 } from "../../kernel/encoding.ts";
import { isJsonObject, parseJsonObject } from "../../kernel/json.ts";
import type { Random } from "../../kernel/random.ts";
import { type SealTerms, seal, unseal } from "../../kernel/seal.ts";
import { INVALID_PARAMS } from "../../protocol/mcp/json-rpc.ts";
import type { UpstreamRequest } from "../spoken-upstream.ts";

/** What a `requestState` that agents get stands for. */
export type RequestState =
  /** The upstream's own. */
  | { readonly kind: "upstream"; readonly state: string }
  /** A call that waits here for the agent's input. */
  | { readonly kind: "waiting"; readonly call: string }
  /** The gateway's own: the agent was asked to let its person connect an account with these scopes. */
  | { readonly kind: "connect"; readonly request: string; readonly scopes: readonly string[] }
  /** The gateway's own: the agent was asked to let its person decide on an approval, of a call that repeated what `asked` says. */
  | { readonly kind: "approval"; readonly request: string; readonly asked?: Repeated };

/** What a request repeats (MCP 2026-07-28, Multi Round-Trip Requests). */
export type Repeated = Readonly<Partial<Record<"inputResponses" | "requestState", unknown>>>;

export interface SealingPorts extends StateSecretPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/** Milliseconds: longer than a person may take. */
const LIFETIME = 10 * 60_000;

/**
 * Seals a state for an agent (D118, checklist 30) with the deployment's secret, so that any instance opens it.
 *
 * @param bound what it belongs to, from `boundTo`
 */
export async function sealState(state: RequestState, bound: string, ports: SealingPorts): Promise<string> {
  const { clock, random } = ports;
  const text = utf8(JSON.stringify({ ...state, expiresAt: clock.now() + LIFETIME }));
  return seal(text, sealTerms(bound, ports), random);
}

/** @throws InvalidRequestState for what was not sealed for this request, or too long ago */
export async function openState(sealed: unknown, bound: string, ports: SealingPorts): Promise<RequestState> {
  const opened = typeof sealed === "string" ? await unseal(sealed, sealTerms(bound, ports)) : undefined;
  if (opened === undefined) throw new InvalidRequestState();
  const { kind, state, call, request, asked, scopes, expiresAt } = parseJsonObject(opened) ?? {};
  if (typeof expiresAt !== "number" || ports.clock.now() >= expiresAt) throw new InvalidRequestState();
  if (kind === "upstream" && typeof state === "string") return { kind, state };
  if (kind === "waiting" && typeof call === "string") return { kind, call };
  if (kind === "connect" && typeof request === "string" && Array.isArray(scopes))
    return { kind, request, scopes: scopes.map(String) };
  if (kind === "approval" && typeof request === "string")
    return { kind, request, ...(isJsonObject(asked) && { asked }) };
  throw new InvalidRequestState();
}

function sealTerms(bound: string, ports: StateSecretPorts): SealTerms {
  const secret = stateSecretOf(ports);
  if (secret === undefined) throw new Error("there is no secret to seal request states with");
  return { secret, purpose: "countersign request state", bound };
}

export interface StateSecretPorts {
  /** What all instances of a deployment share and nobody else knows, 32 bytes or more. Absent: nothing is sealed here. */
  readonly stateSecret?: Uint8Array<ArrayBuffer> | undefined;
  readonly configuration: () => ConfigurationSnapshot;
}

/** The instance's, or that of a gateway which the Console alone has enabled (D130). */
export function stateSecretOf({ stateSecret, configuration }: StateSecretPorts): Uint8Array<ArrayBuffer> | undefined {
  return stateSecret ?? configuredStateSecret(configuration().configuration);
}

/** What every instance of a deployment seals states with: its own secret, or that of client ids; undefined where neither is configured. */
export function configuredStateSecret({
  stateSecret,
  oidcProvider,
}: Pick<Configuration, "stateSecret" | "oidcProvider">): Uint8Array<ArrayBuffer> | undefined {
  const configured = stateSecret ?? oidcProvider?.apiClients.idSecret;
  return configured === undefined ? undefined : fromBase64url(configured);
}

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

/** Members of `params` that differ between a request and its repetition (MCP 2026-07-28, Multi Round-Trip Requests). */
const OF_ONE_ROUND = ["_meta", "inputResponses", "requestState"];

/** What a state belongs to, as one text: whoever repeats the request is the same, at the same upstream, with the same arguments. */
export function boundTo(
  { method, params }: Pick<UpstreamRequest, "method" | "params">,
  { app, principal }: { readonly app: { readonly name: string; readonly url: string }; readonly principal: string },
): string {
  const asked = Object.fromEntries(Object.entries(params).filter(([name]) => !OF_ONE_ROUND.includes(name)));
  return sha256base64url(canonicalJson([principal, app.name, app.url, method, asked]));
}
