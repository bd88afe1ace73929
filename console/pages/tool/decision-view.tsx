import { Link } from "wouter";
import type { ToolDetails, Trial } from "../../../lib/management/schemas/tools.ts";
import type { Tried } from "../../configuration-trial/protocol.ts";
import { Facts } from "../../parts/facts.tsx";
import { Note } from "../../parts/note.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { StepsTable } from "../configuration-trial/steps-table.tsx";
import { Scopes } from "../gateway/scopes.tsx";
import classes from "./try.module.css";

export interface DecisionViewProps {
  readonly tool: ToolDetails;
  readonly trial: Trial;
  /** Undefined: the person cannot read the configuration, or its tools are too large to be sent. */
  readonly tried: Tried | undefined;
}

/** Who would call with what, and what would be decided. */
export function DecisionView({ tool, trial: { claims }, tried }: DecisionViewProps) {
  const scopes = claims.scope.split(" ").filter((scope) => scope !== "");
  const missing = tool.scopes.filter((scope) => !scopes.includes(scope));
  return (
    <section className={classes.parts} aria-label="Decision">
      <p role="status" className={classes.verdict}>
        {verdictOf(tried, missing)}
      </p>
      <Facts
        facts={[
          { term: "Agent", value: <code>{claims.client_id}</code> },
          {
            term: "Person",
            value: claims.sub === claims.client_id ? "None: the client acts for itself" : <code>{claims.sub}</code>,
          },
          { term: "Scopes of the token", value: <Scopes scopes={scopes} /> },
          { term: "Lacking", value: missing.length === 0 ? undefined : <Scopes scopes={missing} /> },
        ]}
      />
      {tried !== undefined && "problems" in tried && (
        <Note tone="warn" title="Your browser cannot explain it">
          What instances alone have decides here, such as variables. <em>Try</em> on the page{" "}
          <Link href="/gateway/configuration/edit">Edit configuration</Link> explains a call with values that you give.
        </Note>
      )}
      {tried !== undefined && "steps" in tried && (
        <>
          <StepsTable steps={tried.steps} />
          <p className={classes.quiet}>
            Your browser has explained this from the configuration. What is stopped, approved, connected or used up is
            not looked at, and no server is asked. The gateway decides when you call.
          </p>
        </>
      )}
      {tried === undefined && (
        <p className={classes.quiet}>
          Rules are not shown to you: the gateway decides when you call.
          {tool.policies.length > 0 && ` ${tool.policies.length} of them will be asked.`}
        </p>
      )}
    </section>
  );
}

function verdictOf(tried: Tried | undefined, missing: readonly string[]): string {
  if (tried !== undefined && "decision" in tried) return DECISIONS[tried.decision];
  return missing.length > 0
    ? "The call would be refused: the token lacks scopes."
    : "The token has the scopes that the tool needs.";
}

const DECISIONS = {
  allowed: "The call would be allowed.",
  denied: "The call would be denied.",
  unknown: "Your browser cannot tell whether the call would be allowed.",
} as const;

/** What a call does to what is behind it, beside the button that makes it. */
export function EffectNote({ annotations }: Pick<ToolDetails, "annotations">) {
  if (annotations.readOnlyHint === true) return null;
  return (
    <span className={classes.effect}>
      <StatusBadge tone={annotations.destructiveHint === true ? "warn" : "accent"}>
        {annotations.destructiveHint === true ? "It may delete or overwrite something" : "It may change something"}
      </StatusBadge>
    </span>
  );
}
