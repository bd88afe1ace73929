import type { Approval } from "../../../lib/management/schemas/approvals.ts";
import { CopyableId } from "../../parts/copyable-id.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { type Names, useNames } from "../../parts/use-names.ts";
import { STATES } from "./approval-states.ts";

/** Which call it is, for whom, and what became of it. */
export function ApprovalFacts({ approval }: { readonly approval: Approval }) {
  const names = useNames();
  const { state, app, tool, upstream, agent, issuer, requestedAt, expiresAt, digest, approvalId } = approval;
  return (
    <Panel title="The call">
      <Facts
        facts={[
          { term: "State", value: <StatusBadge tone={STATES[state].tone}>{STATES[state].label}</StatusBadge> },
          { term: "App", value: <ForeignText text={app} isExact /> },
          { term: "Tool", value: <ForeignText text={tool} isExact /> },
          { term: "Goes to", value: <ForeignText text={upstream} isExact /> },
          {
            term: "Agent",
            value: agent === undefined ? "Nobody is authenticated" : <Named id={agent} names={names} />,
          },
          { term: "Token from", value: issuer && <ForeignText text={issuer} isExact /> },
          { term: "Acts for", value: personOf(approval, names) },
          { term: "Who decides", value: <Decider approval={approval} /> },
          { term: "Asked", value: <Time value={requestedAt} format="full" /> },
          { term: "Ends", value: state === "consumed" ? undefined : <Time value={expiresAt} format="full" /> },
          ...decisionOf(approval, names),
          { term: "Digest", value: <CopyableId id={digest} label="Copy digest" /> },
          { term: "Approval", value: <CopyableId id={approvalId} label="Copy approval ID" /> },
        ]}
      />
    </Panel>
  );
}

function personOf({ person, memberId }: Approval, names: Names) {
  if (person === undefined) return "Itself";
  if (memberId !== undefined) return <Named id={memberId} names={names} />;
  return (
    <>
      Somebody whose account no member has linked: <Named id={person} names={names} />
    </>
  );
}

function Decider({ approval: { by, separate } }: { readonly approval: Approval }) {
  const others = separate ? ", but not the person that the agent acts for" : "";
  if (by === "self") return "The person that the agent acts for";
  if (by === "owners") return `An owner of the organization${others}`;
  return (
    <>
      Whom this names: <ForeignText text={by} isExact />
      {others}
    </>
  );
}

function decisionOf({ decidedBy, decidedAt, callId }: Approval, names: Names) {
  return [
    { term: "Decided by", value: decidedBy && <Named id={decidedBy} names={names} /> },
    { term: "Decided", value: decidedAt && <Time value={decidedAt} format="full" /> },
    { term: "Audit record", value: callId && <CopyableId id={callId} label="Copy audit record" /> },
  ];
}
