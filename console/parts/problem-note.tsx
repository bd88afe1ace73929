import { Button } from "@mantine/core";
import { asProblem } from "../api/problem.ts";
import { RefreshIcon } from "../icons.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Note } from "./note.tsx";
import classes from "./problem-note.module.css";

export interface ProblemNoteProps {
  /** What was thrown; nothing is shown without it. */
  readonly error: unknown;
  /** What did not work, for example "The name was not changed"; the problem's own title unless stated. */
  readonly title?: string;
  readonly onRetry?: (() => void) | undefined;
}

/** An error, in words, with what identifies it in the server's log. */
export function ProblemNote({ error, title, onRetry }: ProblemNoteProps) {
  if (error === undefined || error === null) return null;
  const problem = asProblem(error);
  return (
    <Note
      tone="bad"
      isAlert
      title={title ?? problem.title}
      actions={
        onRetry && (
          <Button size="xs" variant="default" leftSection={<RefreshIcon size={14} />} onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      <p>{problem.detail}</p>
      {problem.retryAfter !== undefined && <p>The server asks to wait {problem.retryAfter} seconds.</p>}
      {problem.requestId !== undefined && (
        <p className={classes.request}>
          Request <code>{problem.requestId}</code>
          <CopyButton value={problem.requestId} label="Copy request id" />
        </p>
      )}
    </Note>
  );
}
