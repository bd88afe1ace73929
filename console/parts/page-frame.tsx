import type { ReactNode } from "react";
import { Link } from "wouter";
import { ArrowLeftIcon } from "../icons.tsx";
import { usePageArrival } from "../navigation/arrival.ts";
import classes from "./page-frame.module.css";
import { TermLink } from "./term-link.tsx";
import type { Term } from "./terms.ts";

export interface PageFrameProps {
  /** The only h1, and the document's title. */
  readonly title: string;
  /** What stands in the h1 instead of `title`, when it holds a name that others chose. */
  readonly heading?: ReactNode;
  /** What the page is about, where the documentation explains it. */
  readonly term?: Term;
  /** One or two sentences below the heading. */
  readonly description?: ReactNode;
  /** Beside the heading: the page's main action last. */
  readonly actions?: ReactNode;
  /** The page above this one. `href` is below `/console`. */
  readonly back?: { readonly href: string; readonly label: string };
  /** `narrow` for forms and settings. */
  readonly width?: "wide" | "narrow";
  readonly children: ReactNode;
}

/** A page of the Console: heading, actions, content. Takes the focus when the person came here within the Console. */
export function PageFrame({
  title,
  heading,
  term,
  description,
  actions,
  back,
  width = "wide",
  children,
}: PageFrameProps) {
  const headingRef = usePageArrival(title);
  return (
    <div className={classes.page} data-width={width}>
      {back && (
        <Link href={back.href} className={classes.back}>
          <ArrowLeftIcon size={14} />
          {back.label}
        </Link>
      )}
      <div className={classes.head}>
        <div className={classes.words}>
          <div className={classes.heading}>
            <h1 ref={headingRef} tabIndex={-1} className={classes.title}>
              {heading ?? title}
            </h1>
            <TermLink term={term} />
          </div>
          {description && <div className={classes.description}>{description}</div>}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      <div className={classes.content}>{children}</div>
    </div>
  );
}
