import { Fragment, type ReactNode } from "react";
import classes from "./facts.module.css";

export interface Fact {
  readonly term: string;
  /** Facts without a value are left out. */
  readonly value: ReactNode | undefined;
}

/** Terms and their values. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(({ value }) => value !== undefined)
        .map(({ term, value }) => (
          <Fragment key={term}>
            <dt className={classes.term}>{term}</dt>
            <dd className={classes.value}>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
