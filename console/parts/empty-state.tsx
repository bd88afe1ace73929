import type { ReactNode } from "react";
import classes from "./empty-state.module.css";

export interface EmptyStateProps {
  /** Decoration: an icon, size 20. */
  readonly icon?: ReactNode;
  /** "No API clients yet". */
  readonly title: string;
  /** What would be here, and how it comes. */
  readonly children?: ReactNode;
  /** The next step. */
  readonly action?: ReactNode;
}

/** What a list shows while it has nothing in it. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      {icon && <div className={classes.icon}>{icon}</div>}
      <p className={classes.title}>{title}</p>
      {children && <div className={classes.words}>{children}</div>}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}
