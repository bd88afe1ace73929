import { Button, Loader } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { ToolList } from "../../../lib/management/schemas/tools.ts";
import { useApi } from "../../api/context.ts";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import type { Policies, PolicySource } from "../../policy-test/protocol.ts";
import type { Tester } from "../../policy-test/tester.ts";
import { useSession } from "../../session/context.ts";
import classes from "../configuration-trial/trial.module.css";
import { ComparisonView } from "./comparison-view.tsx";
import { type Comparison, comparing, MOST } from "./recorded-calls.ts";

export interface RecordsPanelProps {
  readonly tester: Tester;
  readonly app: string;
  readonly tools: ToolList;
  /** Undefined: there is no policy that can be evaluated. */
  readonly policies: Policies<PolicySource> | undefined;
}

/** What changes for the calls that the audit log has, the newest first. */
export function RecordsPanel({ tester, app, tools, policies }: RecordsPanelProps) {
  const api = useApi();
  const { instance } = useSession();
  const [comparison, setComparison] = useState<Comparison>();
  const [failed, setFailed] = useState<unknown>();
  const running = useRef(new AbortController());
  const asked = JSON.stringify(policies);
  useEffect(() => {
    // Of another policy nothing was said yet.
    if (asked !== null) setComparison(undefined);
    return () => running.current.abort();
  }, [asked]);
  const compare = async () => {
    if (policies === undefined) return;
    const controller = new AbortController();
    running.current = controller;
    setFailed(undefined);
    const surroundings = { issuer: instance?.issuer, tools: { items: tools.items, servers: tools.servers } };
    const told = (next: Comparison) => {
      if (running.current === controller) setComparison(next);
    };
    let last: Comparison = { compared: [], read: 0, end: "under way" };
    told(last);
    try {
      for await (const next of comparing({ api, tester, app, policies, surroundings }, controller.signal)) {
        last = next;
        told(next);
      }
    } catch (error) {
      if (running.current !== controller) return;
      setComparison({ ...last, end: controller.signal.aborted ? "stopped" : "failed" });
      if (!controller.signal.aborted) setFailed(error);
    }
  };
  const isRunning = comparison?.end === "under way";
  return (
    <Panel
      title="Recorded calls"
      description={`What changes for the newest ${MOST.calls.toLocaleString("en")} calls of the app in the audit log. Records have no arguments and few claims: what a policy reads of them cannot be told.`}
    >
      <div className={classes.parts}>
        {isRunning ? (
          <div className={classes.progress}>
            <Loader size={14} aria-hidden="true" />
            <span role="status">{progressOf(comparison)}</span>
            <Button variant="default" size="xs" onClick={() => running.current.abort()}>
              Stop
            </Button>
          </div>
        ) : (
          <div>
            <Button disabled={policies === undefined} onClick={() => void compare()}>
              Run against recorded calls
            </Button>
          </div>
        )}
        <ProblemNote error={failed} title="The recorded calls could not be compared" />
        {comparison !== undefined && !isRunning && (
          <ComparisonView
            compared={comparison.compared}
            about={ENDS[comparison.end](comparison)}
            isNew={policies?.inUse.language === "none"}
          />
        )}
      </div>
    </Panel>
  );
}

function progressOf({ compared, read }: Comparison): string {
  return `Read ${numbered(read)} records, compared ${numbered(compared.length)} calls`;
}

const ENDS: Readonly<Record<Comparison["end"], (comparison: Comparison) => string>> = {
  "under way": () => "",
  all: ({ compared }) => `These are all ${numbered(compared.length)} calls of the app in the audit log.`,
  enough: ({ compared, read }) =>
    `These are the newest ${numbered(compared.length)} calls of the app, of ${numbered(read)} records.`,
  stopped: ({ compared }) => `It was stopped after ${numbered(compared.length)} calls.`,
  failed: ({ compared }) => `It ended after ${numbered(compared.length)} calls.`,
};

function numbered(count: number): string {
  return count.toLocaleString("en");
}
