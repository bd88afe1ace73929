import { type ReactNode, useId } from "react";
import classes from "./panel.module.css";
import { TermLink } from "./term-link.tsx";
import type { Term } from "./terms.ts";

export interface PanelProps {
  /** An h2. Without it the panel is only a frame. */
  readonly title?: ReactNode;
  /** What the panel is about, where the documentation explains it. */
  readonly term?: Term;
  readonly description?: ReactNode;
  /** Beside the heading. */
  readonly actions?: ReactNode;
  /** Below a line at the end, for example the buttons of a form. */
  readonly footer?: ReactNode;
  /** Tables and lists reach to the frame. */
  readonly flush?: boolean;
  /** What destroys things. */
  readonly tone?: "danger";
  readonly children?: ReactNode;
}

/** A framed section of a page. */
export function Panel({ title, term, description, actions, footer, flush, tone, children }: PanelProps) {
  const titleId = useId();
  const hasHead = title !== undefined || actions !== undefined;
  return (
    <section className={classes.panel} data-tone={tone} aria-labelledby={title === undefined ? undefined : titleId}>
      {hasHead && (
        <div className={classes.head} data-alone={children === undefined || undefined}>
          <div className={classes.words}>
            {title !== undefined && (
              <div className={classes.heading}>
                <h2 id={titleId} tabIndex={-1} className={classes.title}>
                  {title}
                </h2>
                <TermLink term={term} />
              </div>
            )}
            {description && <div className={classes.description}>{description}</div>}
          </div>
          {actions && <div className={classes.actions}>{actions}</div>}
        </div>
      )}
      {children !== undefined && <div className={flush ? classes.flush : classes.body}>{children}</div>}
      {footer && <div className={classes.footer}>{footer}</div>}
    </section>
  );
}
