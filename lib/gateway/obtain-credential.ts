import { type AuditPorts, recordRefusal } from "./audit-call.ts";
import type { CredentialCall, CredentialOutcome, Credentials, CredentialTerms } from "./credentials/credentials.ts";
import { GatewayError } from "./gateway-error.ts";
import type { OutboundCredential, ToolCall } from "./tool-call.ts";
import type { CallableTool } from "./tool-index.ts";

export interface CredentialPorts {
  readonly credentials: Pick<Credentials, "obtain">;
}

/**
 * What the call will carry (checklist 24): nothing, a token that was exchanged for the agent's, or the person's own. Where there is
 * none the call is recorded and not made: throws `token_refused` when the agent has to renew its own, `credential_refused` when it
 * would not get this one either, `no_person` when the agent acts for nobody, `credential_unavailable` when nobody could be asked; and
 * `not_connected`, of which nothing is recorded yet, when the person has to connect an account.
 */
export async function obtainCredential(
  located: CallableTool,
  call: ToolCall,
  ports: CredentialPorts & AuditPorts,
): Promise<OutboundCredential> {
  if (carriesNothing(located)) return NONE;
  const outcome = await ports.credentials.obtain(located, call);
  if (outcome.outcome === "obtained") return bearer(outcome);
  await recordUnobtained(outcome, located, call, ports);
  throw unobtained(outcome, located.app.name);
}

/**
 * Another credential than one that the upstream refused; undefined where there is none to be had.
 *
 * @throws GatewayError `not_connected` where the person has to connect again
 */
export async function renewCredential(
  { token }: OutboundCredential,
  located: CredentialTerms,
  call: CredentialCall,
  ports: CredentialPorts,
): Promise<OutboundCredential | undefined> {
  if (token === undefined) return undefined;
  const outcome = await ports.credentials.obtain(located, call, token);
  if (outcome.outcome === "not_connected") throw unobtained(outcome, located.app.name);
  return outcome.outcome === "obtained" ? bearer(outcome) : undefined;
}

/** `unprotected`: the upstream learns nothing of the agent. */
export const NONE: OutboundCredential = { headers: {} };

export function carriesNothing({ terms, connection }: CredentialTerms): boolean {
  return terms === undefined && connection === undefined;
}

type Obtained = Extract<CredentialOutcome, { readonly outcome: "obtained" }>;

export function bearer(obtained: Obtained): OutboundCredential {
  const { token } = obtained;
  const credential = { headers: { authorization: `Bearer ${token}` }, token };
  return "want" in obtained ? { ...credential, want: obtained.want } : credential;
}

type Unobtained = Exclude<CredentialOutcome, { readonly outcome: "obtained" }>;

async function recordUnobtained(
  outcome: Unobtained,
  located: CallableTool,
  call: ToolCall,
  ports: AuditPorts,
): Promise<void> {
  switch (outcome.outcome) {
    case "token_refused":
    case "no_person":
      return recordRefusal("denied", outcome.outcome, located, call, ports);
    case "refused":
      return recordRefusal("denied", "credential_refused", located, call, ports, { error: outcome.error });
    case "unavailable":
      return recordRefusal("upstream_error", "credential_unavailable", located, call, ports, { error: outcome.reason });
    case "not_connected":
      return undefined;
  }
}

/** Why there is no credential, in words for the agent. */
export function unobtained(outcome: Unobtained, app: string): GatewayError {
  switch (outcome.outcome) {
    case "token_refused":
      return new GatewayError("token_refused", "The access token is not good for an exchange any more.");
    case "refused":
      return new GatewayError(
        "credential_refused",
        `The call was not made: the gateway is not given a token for the app "${app}" (${outcome.error}).`,
      );
    case "unavailable":
      return new GatewayError(
        "credential_unavailable",
        `The call was not made: the server that gives out tokens for the app "${app}" cannot be asked now. Try again later.`,
      );
    case "no_person":
      return new GatewayError(
        "no_person",
        `The call was not made: the app "${app}" is called with the account of a person, and this agent acts for nobody.`,
      );
    case "not_connected":
      return new GatewayError("not_connected", `The person has to connect an account for the app "${app}" first.`, {
        needs: outcome.needs,
      });
  }
}
