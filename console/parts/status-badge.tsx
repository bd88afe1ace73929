import type { ReactNode } from "react";
import classes from "./status-badge.module.css";

export type StatusTone = "good" | "warn" | "bad" | "neutral" | "accent";

/** A state, told by words and shape, and by colour. */
export function StatusBadge({
  tone = "neutral",
  children,
}: {
  readonly tone?: StatusTone;
  readonly children: ReactNode;
}) {
  return (
    <span className={classes.badge} data-tone={tone}>
      <svg className={classes.shape} viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        {SHAPE[tone]}
      </svg>
      {children}
    </span>
  );
}

/** Full, half, crossed, hollow, and a diamond: told apart without colours. */
const SHAPE: Readonly<Record<StatusTone, ReactNode>> = {
  good: <circle cx="5" cy="5" r="3.5" fill="currentColor" />,
  warn: <path d="M5 1l4.4 8H.6z" fill="currentColor" />,
  bad: <path d="M2 2l6 6M8 2L2 8" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />,
  neutral: <circle cx="5" cy="5" r="3.2" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  accent: <path d="M5 .8L9.2 5 5 9.2.8 5z" fill="currentColor" />,
};
