import { Link } from "wouter";
import type { CallExplanation } from "../../../lib/management/schemas/explanations.ts";
import { path } from "../../api/request.ts";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { useNames } from "../../parts/use-names.ts";
import { StepsTable } from "../configuration-trial/steps-table.tsx";
import classes from "../configuration-trial/trial.module.css";
import { Scopes } from "../gateway/scopes.tsx";

/** Whether the call would be made, who would make it, and what each step says. */
export function WhyView({ explained: { tool, decision, claims, steps } }: { readonly explained: CallExplanation }) {
  const names = useNames();
  const [agent, person] = [textOf(claims.client_id), textOf(claims.sub)];
  const refusing = steps.find((step) => step.decision === "denied");
  return (
    <div className={classes.parts}>
      <div role="status">
        <p className={classes.verdict}>The call would be {decision}.</p>
        {refusing !== undefined && (
          <p>
            The step <em>{refusing.step}</em> refuses it first:{" "}
            <ForeignText text={refusing.name === undefined ? refusing.why : `${refusing.name} ${refusing.why}`} />
          </p>
        )}
      </div>
      <Facts
        facts={[
          {
            term: "Tool",
            value: (
              <Link href={path`/gateway/tools/${tool}`}>
                <ForeignText text={tool} />
              </Link>
            ),
          },
          { term: "Agent", value: agent && <Named id={agent} names={names} /> },
          {
            term: "Person",
            value:
              person === undefined || person === agent ? (
                "None: the client acts for itself"
              ) : (
                <Named id={person} names={names} />
              ),
          },
          {
            term: "Scopes of the token",
            value: <Scopes scopes={(textOf(claims.scope) ?? "").split(" ").filter(Boolean)} />,
          },
        ]}
      />
      <StepsTable steps={steps} />
      <p className={classes.quiet}>
        Not looked at: approvals, what is used up of limits, and who belongs to which organization. A policy that is
        shown the agent's token cannot be asked here.
      </p>
    </div>
  );
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === "string" && claim !== "" ? claim : undefined;
}
