import { type AuditPorts, recordRefusal } from "./audit-call.ts";
import type { CredentialCall, Credentials } from "./credentials/credentials.ts";
import type { KeptOutcome } from "./credentials/kept-credentials.ts";
import { GatewayError } from "./gateway-error.ts";
import type { OutboundCredential, ToolCall } from "./tool-call.ts";
import type { CallableTool, LocatedTool } from "./tool-index.ts";

export interface CredentialPorts {
  readonly credentials: Pick<Credentials, "obtain">;
}

/**
 * What the call will carry (checklist 24): nothing, or a token that was exchanged for the agent's. Where there is none the
 * call is recorded and not made: throws `token_refused` when the agent has to renew its own, `credential_refused` when it
 * would not get this one either, `credential_unavailable` when nobody could be asked.
 */
export async function obtainCredential(
  located: CallableTool,
  call: ToolCall,
  ports: CredentialPorts & AuditPorts,
): Promise<OutboundCredential> {
  if (located.terms === undefined) return NONE;
  const outcome = await ports.credentials.obtain(located, call);
  if (outcome.outcome !== "obtained") throw await refuse(outcome, located, call, ports);
  return bearer(outcome.token);
}

/** Another credential than one that the upstream refused; undefined where there is none to be had. */
export async function renewCredential(
  { token }: OutboundCredential,
  located: Pick<LocatedTool, "app" | "terms">,
  call: CredentialCall,
  ports: CredentialPorts,
): Promise<OutboundCredential | undefined> {
  if (token === undefined) return undefined;
  const outcome = await ports.credentials.obtain(located, call, token);
  return outcome.outcome === "obtained" ? bearer(outcome.token) : undefined;
}

/** `unprotected`: the upstream learns nothing of the agent. */
const NONE: OutboundCredential = { headers: {} };

function bearer(token: string): OutboundCredential {
  return { headers: { authorization: `Bearer ${token}` }, token };
}

async function refuse(
  outcome: Exclude<KeptOutcome, { readonly outcome: "obtained" }>,
  located: CallableTool,
  call: ToolCall,
  ports: AuditPorts,
): Promise<GatewayError> {
  const { name } = located.app;
  switch (outcome.outcome) {
    case "token_refused":
      await recordRefusal("denied", "token_refused", located, call, ports);
      return new GatewayError("token_refused", "The access token is not good for an exchange any more.");
    case "refused":
      await recordRefusal("denied", "credential_refused", located, call, ports, { error: outcome.error });
      return new GatewayError(
        "credential_refused",
        `The call was not made: the gateway is not given a token for the app "${name}" (${outcome.error}).`,
      );
    case "unavailable":
      await recordRefusal("upstream_error", "credential_unavailable", located, call, ports, {
        error: outcome.reason,
      });
      return new GatewayError(
        "credential_unavailable",
        `The call was not made: the server that gives out tokens for the app "${name}" cannot be asked now. Try again later.`,
      );
  }
}
