import { StatusBadge } from "../../parts/status-badge.tsx";
import classes from "./tab-label.module.css";

export interface TabLabelProps {
  readonly text: string;
  /** Undefined until it is known. */
  readonly count: number | string | undefined;
  /** How many of them are not well. */
  readonly down?: number;
}

export function TabLabel({ text, count, down = 0 }: TabLabelProps) {
  return (
    <span className={classes.label}>
      {text}
      {count !== undefined && (
        <span className={classes.count}>{typeof count === "number" ? count.toLocaleString() : count}</span>
      )}
      {down > 0 && <StatusBadge tone="bad">{`${down} down`}</StatusBadge>}
    </span>
  );
}
