import type { ToolDetails } from "../../../lib/management/schemas/tools.ts";
import { CopyableId } from "../../parts/copyable-id.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { MEMBERS, Policies } from "../gateway/app-rules.tsx";
import { sentencesOf } from "../gateway/behaviour.ts";
import { lifetime } from "../gateway/lifetime.ts";
import { Scopes } from "../gateway/scopes.tsx";
import { MODE, NOBODY } from "../gateway/tool-drawer.tsx";

/** Which request a call is, who may make it, and what it carries to the API. */
export function CallFacts({ tool, isListed }: { readonly tool: ToolDetails; readonly isListed?: boolean }) {
  const { name, localName, app, method, path, scopes, denied, annotations, policies, stepUp, approval, pinned } = tool;
  const { kind, issuer, scopes: connectionScopes, schemes, headers } = tool.credential;
  const { exchange, server, members } = tool;
  // The configuration does not know what a server says of its tool.
  const isAnnotated = server === undefined || isListed ? true : undefined;
  return (
    <Facts
      facts={[
        { term: "Name for agents", value: <CopyableId id={name} label="Copy the tool's name" /> },
        { term: "Name in policies", value: localName === name ? undefined : <code>{localName}</code> },
        { term: "App", value: <ForeignText text={app} /> },
        { term: "MCP server", value: server && <ForeignText text={server.origin} /> },
        { term: "Operation", value: method && <code>{`${method} ${path}`}</code> },
        { term: "A call", value: isAnnotated && sentencesOf(annotations).join(" ") },
        {
          term: "Scopes an agent needs",
          value: <Scopes scopes={scopes} none={denied ? NOBODY : "None: any agent that may connect"} />,
        },
        { term: "People", value: MEMBERS[members] },
        { term: "Policies", value: <Policies policies={policies} /> },
        { term: "Sign-in", value: stepUp && stepUpText(stepUp) },
        {
          term: "Approval",
          value: approval && (
            <>
              {approval.conditional ? "Some calls, by " : "Each call, by "}
              <ForeignText text={BY[approval.by] ?? approval.by} />
            </>
          ),
        },
        { term: "Versions", value: pinned ? "Only those that an owner has approved" : undefined },
        { term: server ? "Token toward the server" : "Token toward the API", value: KINDS[kind] },
        { term: "Issued by", value: issuer && <ForeignText text={issuer} /> },
        { term: "Scopes of the connection", value: connectionScopes && <Scopes scopes={connectionScopes} /> },
        { term: "For", value: exchange && <ForeignText text={exchange.audience} /> },
        { term: "Scopes of the token", value: exchange && <Scopes scopes={exchange.scopes} /> },
        { term: "Lives at most", value: exchange && lifetime(exchange.ttl) },
        { term: "Names", value: exchange && MODE[exchange.mode] },
        { term: "Secrets for", value: schemes.length > 0 ? <Scopes scopes={schemes} /> : undefined },
        { term: "Headers", value: headers.length > 0 ? <Scopes scopes={headers} /> : undefined },
      ]}
    />
  );
}

const KINDS = {
  unprotected: "None that stands for the caller",
  tokenExchange: "Exchanged for the caller's",
  userToken: "Of the account that the person connected",
} as const;

const BY: Readonly<Record<string, string>> = { self: "the person that the agent acts for", owners: "an owner" };

function stepUpText({ acr, maxAge }: NonNullable<ToolDetails["stepUp"]>): string {
  const parts = [
    ...(acr === undefined ? [] : [`with ${acr.join(" or ")}`]),
    ...(maxAge === undefined ? [] : [`at most ${lifetime(maxAge)} ago`]),
  ];
  return `The person signed in ${parts.join(", ")}`;
}
