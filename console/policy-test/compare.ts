import type { AuditEvent } from "../../lib/management/schemas/audit-events.ts";
import { type About, type Evaluator, evaluatorOf, writtenInput } from "./evaluate.ts";
import type { Change, ComparedRecord, Policies, PolicySource, Surroundings, Verdict } from "./protocol.ts";
import { inputOfRecord } from "./record-input.ts";

/** What both policies say of an input that a person wrote. Throws with a reason for people. */
export async function tryInput(
  sources: Policies<PolicySource>,
  text: string,
  time: number,
): Promise<Policies<Verdict>> {
  return verdictsOf(bothOf(sources, "written"), writtenInput(text), time);
}

/** What both policies say of recorded calls, in their order. Throws with a reason for people where one cannot be evaluated. */
export async function compareRecords(
  sources: Policies<PolicySource>,
  records: readonly AuditEvent[],
  surroundings: Surroundings,
): Promise<readonly ComparedRecord[]> {
  const both = bothOf(sources, "record");
  const isOne = JSON.stringify(sources.inUse) === JSON.stringify(sources.edited);
  const compared: ComparedRecord[] = [];
  for (const record of records) {
    const input = await inputOfRecord(record, surroundings);
    const verdicts = await verdictsOf(both, input, Date.parse(record.time));
    compared.push({ record, ...verdicts, change: isOne ? "same" : changeOf(verdicts) });
  }
  return compared;
}

/** An error denies, as a denial does. What one of both cannot tell of is left open. */
export function changeOf({ inUse, edited }: Policies<Verdict>): Change {
  if (inUse.outcome === "unknown" || edited.outcome === "unknown") return "unknown";
  const [before, now] = [inUse, edited].map(({ outcome }) => outcome === "allowed");
  if (before === now) return "same";
  return now ? "allowed" : "denied";
}

async function verdictsOf(
  both: Policies<Evaluator>,
  input: Readonly<Record<string, unknown>>,
  time: number,
): Promise<Policies<Verdict>> {
  return { inUse: await both.inUse.decide(input, time), edited: await both.edited.decide(input, time) };
}

function bothOf({ inUse, edited }: Policies<PolicySource>, about: About): Policies<Evaluator> {
  return {
    inUse: readyOf(inUse, about, "The policy in use cannot be evaluated"),
    edited: readyOf(edited, about, "The edited policy has a mistake"),
  };
}

function readyOf(source: PolicySource, about: About, what: string): Evaluator {
  const made = evaluatorOf(source, about);
  if ("mistake" in made) throw new Error(`${what}: ${made.mistake.message}`);
  return made;
}
