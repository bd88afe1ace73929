import { ForeignText } from "../../parts/foreign-text.tsx";
import { StatusBadge, type StatusTone } from "../../parts/status-badge.tsx";
import type { Verdict } from "../../policy-test/protocol.ts";
import classes from "../configuration-trial/trial.module.css";

/** What a policy says, in a word, and why. */
export function VerdictView({ verdict }: { readonly verdict: Verdict }) {
  const { label, tone } = WORDS[verdict.outcome];
  return (
    <span className={classes.said}>
      <StatusBadge tone={tone}>{label}</StatusBadge>
      <Details verdict={verdict} />
    </span>
  );
}

const WORDS: Readonly<Record<Verdict["outcome"], { readonly label: string; readonly tone: StatusTone }>> = {
  allowed: { label: "Allowed", tone: "good" },
  denied: { label: "Denied", tone: "bad" },
  error: { label: "Error: denied", tone: "bad" },
  unknown: { label: "Cannot be told", tone: "warn" },
};

function Details({ verdict }: { readonly verdict: Verdict }) {
  switch (verdict.outcome) {
    case "allowed":
      return null;
    case "denied":
      return (
        <>
          {verdict.message !== undefined && <ForeignText text={`The agent is told: ${verdict.message}`} />}
          {verdict.hides && <span className={classes.quiet}>Lists hide the tool.</span>}
        </>
      );
    case "error":
      return (
        <>
          <span>
            It failed with <code>{verdict.failure}</code>.
          </span>
          {verdict.hides && <span className={classes.quiet}>Lists hide the tool.</span>}
        </>
      );
    case "unknown":
      return (
        <span>
          It reads{" "}
          {verdict.reads.map((read, index) => (
            <span key={read}>
              {index > 0 && ", "}
              <code>
                <ForeignText text={read} />
              </code>
            </span>
          ))}
        </span>
      );
  }
}
