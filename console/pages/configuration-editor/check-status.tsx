import { Button, Loader } from "@mantine/core";
import type { Checker, CheckState } from "../../configuration-check/checker.ts";
import type { CheckResult } from "../../configuration-check/protocol.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import classes from "./editor.module.css";

export interface CheckStatusProps {
  readonly checks: CheckState;
  readonly checker: Checker;
}

/** How the check goes, and its outcome in one line. */
export function CheckStatus({ checks: { status, doing, result, reason }, checker }: CheckStatusProps) {
  return (
    <div className={classes.status}>
      {status === "checking" && (
        <>
          <span className={classes.state}>
            <Loader size={14} aria-hidden="true" />
            <span>Checking {doing === undefined ? "…" : <ForeignText text={doing.replace(/^file:\/\//, "")} />}</span>
          </span>
          {doing !== undefined && (
            <Button variant="default" size="xs" onClick={checker.stop}>
              Stop
            </Button>
          )}
        </>
      )}
      {(status === "stopped" || status === "failed") && (
        <>
          <span className={classes.state} role="alert">
            {status === "stopped" ? "The check was stopped." : `The check failed: ${reason ?? ""}`}
          </span>
          <Button variant="default" size="xs" onClick={checker.checkNow}>
            Check again
          </Button>
        </>
      )}
      <span className={classes.state} role="status">
        {status === "checked" && result !== undefined && <Outcome result={result} />}
      </span>
    </div>
  );
}

function Outcome({ result: { messages, isValid, tools } }: { readonly result: CheckResult }) {
  if (!isValid) return <StatusBadge tone="bad">{counted(messages.length, "mistake")}</StatusBadge>;
  return (
    <>
      <StatusBadge tone="good">Valid</StatusBadge>
      {tools > 0 && <span>{counted(tools, "tool")}</span>}
      {messages.length > 0 && <StatusBadge tone="warn">{counted(messages.length, "warning")}</StatusBadge>}
    </>
  );
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;
}
