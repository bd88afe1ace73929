import { Fragment, type ReactNode } from "react";
import classes from "./facts.module.css";
import { TermLink } from "./term-link.tsx";
import type { Term } from "./terms.ts";

export interface Fact {
  readonly term: string;
  /** What the term is about, where the documentation explains it. */
  readonly about?: Term;
  /** Facts without a value are left out. */
  readonly value: ReactNode | undefined;
}

/** Terms and their values. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(({ value }) => value !== undefined)
        .map(({ term, about, value }) => (
          <Fragment key={term}>
            <dt className={classes.term}>
              {term}
              {about !== undefined && (
                <>
                  {" "}
                  <TermLink term={about} />
                </>
              )}
            </dt>
            <dd className={classes.value}>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
