import type { Both, Tried, TriedStep } from "../../configuration-trial/protocol.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { DecidedStep } from "./decided-step.tsx";
import { rowsOf, type StepRow } from "./steps.ts";
import classes from "./trial.module.css";

export interface ExplanationViewProps {
  readonly tried: Both<Tried>;
  /** What is in use could be had. */
  readonly isCompared: boolean;
}

/** The decision with the draft beside that with what is in use, step by step. */
export function ExplanationView({ tried, isCompared }: ExplanationViewProps) {
  const { draft, inUse } = tried;
  return (
    <div className={classes.parts}>
      <p role="status" className={classes.verdict}>
        {verdictOf(tried)}
      </p>
      <Problems title="The draft cannot be tried" tried={draft} />
      <Problems title="What is in use cannot be tried" tried={inUse} />
      <DataTable
        label="Steps of the decision"
        columns={isCompared ? [STEP, DRAFT, IN_USE] : [STEP, DRAFT]}
        rows={rowsOf(tried)}
        keyOf={({ key }) => key}
      />
      <p className={classes.quiet}>
        Not looked at here: what is stopped, approved, connected or used up, and who belongs to which organization.
        Secrets have stand-ins. No server is asked: what one decides is not known. An instance may decide otherwise.
      </p>
    </div>
  );
}

function verdictOf({ draft, inUse }: Both<Tried>): string {
  const [now, before] = [decisionOf(draft), decisionOf(inUse)];
  if (now === undefined) return "";
  const said = `With the draft, the call is ${WORDS[now]}.`;
  if (before === undefined) return said;
  return `${said} ${now === before ? "It is the same with what is in use." : `With what is in use, it is ${WORDS[before]}.`}`;
}

function decisionOf(tried: Tried | undefined): TriedStep["decision"] | undefined {
  return tried !== undefined && "decision" in tried ? tried.decision : undefined;
}

const WORDS = { allowed: "allowed", denied: "denied", unknown: "not decided here" } as const;

function Problems({ title, tried }: { readonly title: string; readonly tried: Tried | undefined }) {
  if (tried === undefined || !("problems" in tried)) return null;
  return (
    <Note tone="bad" isAlert title={title}>
      <ul>
        {tried.problems.map((problem) => (
          <li key={problem}>
            <ForeignText text={problem} />
          </li>
        ))}
      </ul>
    </Note>
  );
}

const STEP: Column<StepRow> = {
  ...{ id: "step", header: "Step", isName: true, width: "24%" },
  cell: ({ title, mark }) => (
    <span className={classes.step}>
      <ForeignText text={title} />
      {mark !== undefined && <StatusBadge tone="accent">{mark}</StatusBadge>}
    </span>
  ),
};
const DRAFT: Column<StepRow> = { id: "draft", header: "Draft", cell: ({ draft }) => <Step step={draft} /> };
const IN_USE: Column<StepRow> = { id: "in-use", header: "In use", cell: ({ inUse }) => <Step step={inUse} /> };

function Step({ step }: { readonly step: TriedStep | undefined }) {
  return step === undefined ? "No such step" : <DecidedStep step={step} />;
}
