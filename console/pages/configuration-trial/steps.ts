import type { Both, Tried, TriedStep } from "../../configuration-trial/protocol.ts";

/** One step of both decisions. */
export interface StepRow extends Both<TriedStep | undefined> {
  readonly key: string;
  /** `policy: cel` */
  readonly title: string;
  /** How they differ, in a word; absent: they do not, or there is one alone. */
  readonly mark?: "Differs" | "New" | "Gone";
}

/** The steps of both side by side, in the order of the draft; those that only what is in use has come at the end. */
export function rowsOf({ draft, inUse }: Both<Tried>): readonly StepRow[] {
  const [after, before] = [named(draft), named(inUse)];
  const isCompared = after.size > 0 && before.size > 0;
  const keys = [...new Set([...after.keys(), ...before.keys()])];
  return keys.map((key) => {
    const [one, other] = [after.get(key), before.get(key)];
    const mark = isCompared ? markOf(one, other) : undefined;
    return { key, title: titleOf(one ?? other), draft: one, inUse: other, ...(mark !== undefined && { mark }) };
  });
}

function markOf(draft: TriedStep | undefined, inUse: TriedStep | undefined): StepRow["mark"] {
  if (draft === undefined) return "Gone";
  if (inUse === undefined) return "New";
  return draft.decision === inUse.decision && draft.why === inUse.why && draft.rule === inUse.rule
    ? undefined
    : "Differs";
}

/** By step and name, and which of several it is. */
function named(tried: Tried | undefined): ReadonlyMap<string, TriedStep> {
  const steps = new Map<string, TriedStep>();
  for (const step of tried !== undefined && "steps" in tried ? tried.steps : []) {
    let key = titleOf(step);
    while (steps.has(key)) key += "'";
    steps.set(key, step);
  }
  return steps;
}

function titleOf(step: TriedStep | undefined): string {
  if (step === undefined) return "";
  return step.name === undefined ? step.step : `${step.step}: ${step.name}`;
}
