import type { ReactNode } from "react";
import { CheckIcon, DangerIcon, InfoIcon, WarningIcon } from "../icons.tsx";
import classes from "./note.module.css";

export type NoteTone = "info" | "good" | "warn" | "bad";

export interface NoteProps {
  readonly tone?: NoteTone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons or links at the end. */
  readonly actions?: ReactNode;
  /** Screen readers read it as soon as it appears. */
  readonly isAlert?: boolean;
}

const ICON = { info: InfoIcon, good: CheckIcon, warn: WarningIcon, bad: DangerIcon } as const;

/** A few sentences that matter more than the text around them. */
export function Note({ tone = "info", title, children, actions, isAlert }: NoteProps) {
  const Icon = ICON[tone];
  return (
    <div className={classes.note} data-tone={tone} role={isAlert ? "alert" : undefined}>
      <Icon className={classes.icon} />
      <div className={classes.words}>
        {title && <p className={classes.title}>{title}</p>}
        {children && <div>{children}</div>}
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
    </div>
  );
}
