import type { TriedStep } from "../../configuration-trial/protocol.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { StatusBadge, type StatusTone } from "../../parts/status-badge.tsx";
import classes from "./trial.module.css";

/** What one step decides, why, and by which rule. */
export function DecidedStep({ step: { decision, why, rule } }: { readonly step: TriedStep }) {
  return (
    <span className={classes.said}>
      <StatusBadge tone={TONES[decision]}>{decision === "unknown" ? "not known" : decision}</StatusBadge>
      <ForeignText text={why} />
      {rule !== undefined && (
        <code className={classes.rule}>
          <ForeignText text={rule} />
        </code>
      )}
    </span>
  );
}

const TONES = { allowed: "good", denied: "bad", unknown: "warn" } as const satisfies Record<string, StatusTone>;
