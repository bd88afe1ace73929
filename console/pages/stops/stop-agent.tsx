import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import { type Names, namesWith } from "../../parts/use-names.ts";
import { useSession } from "../../session/context.ts";
import { StopButton } from "./stop-button.tsx";
import type { StopTarget } from "./stop-dialog.tsx";

/** For the details of a record: stops its agent, where the record is of a refusal. */
export function StopAgent({ event, names }: { readonly event: AuditEvent; readonly names: Names }) {
  const target = useAgentOf(names)(event);
  return target && <StopButton target={target} label="Stop this agent" />;
}

/** How the agent of a record is stopped, by somebody who may: that of a call or sign-in that was refused. Undefined: there is none. */
export function useAgentOf(names: Names): (event: AuditEvent) => StopTarget | undefined {
  const { isOwner, instance } = useSession();
  return ({ agent, outcome, details, names: kept }) => {
    if (!isOwner || agent === undefined || (outcome !== "denied" && outcome !== "refused")) return undefined;
    const name = namesWith(names, kept).get(agent);
    const named = { id: agent, ...(name !== undefined && { name }) };
    if (agent.startsWith("client_")) return { kind: "api_client", ...named };
    // Tokens of other servers belong to no organization.
    const issuer = instance?.isFirstOrganization ? details?.issuer : undefined;
    const isForeign = issuer !== undefined && issuer !== instance?.issuer;
    return { kind: "agent", ...named, ...(isForeign && { issuer }) };
  };
}
