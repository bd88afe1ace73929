import { Loader } from "@mantine/core";
import type { ReactNode } from "react";
import { usePageArrival } from "../navigation/arrival.ts";
import { Brand } from "./brand.tsx";
import classes from "./whole-page.module.css";

export interface WholePageProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** In the card below the heading. */
  readonly children?: ReactNode;
  /** Below the card, small. */
  readonly footer?: ReactNode;
}

/** A page without the shell around it: signing in, and what is said before or instead of the Console. */
export function WholePage({ title, description, children, footer }: WholePageProps) {
  const heading = usePageArrival(title);
  return (
    <div className={classes.page}>
      <header className={classes.brand}>
        <Brand />
      </header>
      <main className={classes.card}>
        <h1 ref={heading} tabIndex={-1} className={classes.title}>
          {title}
        </h1>
        {description && <div className={classes.description}>{description}</div>}
        {children && <div className={classes.content}>{children}</div>}
      </main>
      <footer className={classes.footer}>{footer}</footer>
    </div>
  );
}

/** While the first thing is on its way. */
export function WholePageLoading() {
  return (
    <div className={classes.loading} role="status" aria-label="Loading the Console">
      <Loader size="sm" color="gray" />
    </div>
  );
}
