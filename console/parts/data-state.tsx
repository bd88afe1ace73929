import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApiProblem } from "../api/problem.ts";
import classes from "./data-state.module.css";
import { ProblemNote } from "./problem-note.tsx";

export interface DataStateProps<Data> {
  readonly data: Data | undefined;
  readonly error: ApiProblem | null;
  readonly refetch: () => void;
  /** What stands here while the data is on its way: lines of text unless stated. */
  readonly skeleton?: ReactNode;
  /** What did not work, for example "The members could not be read". */
  readonly problemTitle?: string;
  /** Shown instead of the children when `isEmpty` says so. */
  readonly empty?: ReactNode;
  readonly isEmpty?: (data: Data) => boolean;
  readonly children: (data: Data) => ReactNode;
}

/**
 * Data in whichever state it is: loading, refused, empty, there. Data that is there stays when reading it again fails, with
 * the problem above it.
 */
export function DataState<Data>(props: DataStateProps<Data>) {
  const { data, error, refetch, skeleton, problemTitle, empty, isEmpty = isEmptyList, children } = props;
  const problem = error && (
    <div className={classes.problem}>
      <ProblemNote error={error} {...(problemTitle !== undefined && { title: problemTitle })} onRetry={refetch} />
    </div>
  );
  if (data === undefined) return problem ?? skeleton ?? <SkeletonLines />;
  return (
    <>
      {problem}
      {empty !== undefined && isEmpty(data) ? empty : children(data)}
    </>
  );
}

/** Grey lines where text will be; screen readers hear that it is loading. */
export function SkeletonLines({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className={classes.skeleton} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((line, index) => (
        <Skeleton key={line} height={12} width={WIDTHS[index % WIDTHS.length] ?? "60%"} radius="sm" />
      ))}
    </div>
  );
}

const WIDTHS = ["38%", "72%", "55%", "64%"];

function isEmptyList(data: unknown): boolean {
  return Array.isArray(data) && data.length === 0;
}
