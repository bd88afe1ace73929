import type { ToolDetails, Trial } from "../../../lib/management/schemas/tools.ts";
import { Facts } from "../../parts/facts.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { StepsTable } from "../configuration-trial/steps-table.tsx";
import { Scopes } from "../gateway/scopes.tsx";
import classes from "./try.module.css";
import type { Explained } from "./use-explanation.ts";

export interface DecisionViewProps {
  readonly tool: ToolDetails;
  readonly trial: Trial;
  /** Undefined: rules are not shown to the person. */
  readonly tried: Explained | undefined;
}

/** Who would call with what, and what would be decided. */
export function DecisionView({ tool, trial: { claims }, tried }: DecisionViewProps) {
  const scopes = claims.scope.split(" ").filter((scope) => scope !== "");
  const explanation = tried !== undefined && "explanation" in tried ? tried.explanation : undefined;
  const missing = tool.scopes.filter((scope) => !scopes.includes(scope));
  return (
    <section className={classes.parts} aria-label="Decision">
      <p role="status" className={classes.verdict}>
        {verdictOf(explanation?.decision, missing)}
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
      {tried !== undefined && "error" in tried && (
        <ProblemNote error={tried.error} title="The decision could not be explained" />
      )}
      {explanation !== undefined && (
        <>
          <StepsTable steps={explanation.steps} />
          <p className={classes.quiet}>
            Approvals, what is used up of limits, and who belongs to which organization are not looked at. The gateway
            decides when you call.
          </p>
        </>
      )}
      {tried === undefined && (
        <p className={classes.quiet}>
          The steps, which are for owners, are not shown. The gateway decides when you call
          {tool.policies.length > 0 &&
            `, by ${tool.policies.length === 1 ? "one policy" : `${tool.policies.length} policies`} among others`}
          .
        </p>
      )}
    </section>
  );
}

function verdictOf(decision: string | undefined, missing: readonly string[]): string {
  if (decision !== undefined) return `The call would be ${decision}.`;
  return missing.length > 0
    ? "The call would be refused: the token lacks scopes."
    : "The token has the scopes that the tool needs.";
}

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
