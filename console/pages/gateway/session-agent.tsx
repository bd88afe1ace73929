import { Link } from "wouter";
import type { McpSession } from "../../../lib/management/schemas/mcp-sessions.ts";
import { path } from "../../api/request.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import classes from "./sessions-tab.module.css";

export interface SessionAgentProps {
  readonly session: McpSession;
  /** Of the API client that the agent is; undefined where it is none of the organization, or not known. */
  readonly name: string | undefined;
}

/** Who the agent is, and what its software says of itself. */
export function SessionAgent({ session: { agent, clientInfo }, name }: SessionAgentProps) {
  const software = [clientInfo.name, clientInfo.version].filter(Boolean).join(" ");
  return (
    <>
      {agent === undefined && "Nobody is authenticated"}
      {agent !== undefined && name === undefined && <ForeignText text={agent} />}
      {agent !== undefined && name !== undefined && (
        <>
          <Link href={path`/api-clients/${agent}`}>
            <ForeignText text={name} />
          </Link>
          <div className={classes.id}>{agent}</div>
        </>
      )}
      {software !== "" && (
        <div className={classes.soft}>
          <ForeignText text={software} />
        </div>
      )}
    </>
  );
}
