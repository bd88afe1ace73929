import { argumentsDigest } from "../../../../lib/kernel/arguments-digest.ts";
import type { AuditEvent } from "../../../../lib/stores/audit-log.ts";
import type { Ending, Heard, Journal, Made } from "../journal.ts";
import type { Taken } from "../upstream/moods.ts";
import type { Findings } from "./findings.ts";
import { judge } from "./judge.ts";

/** A run without faults, to which a test adds one. Every call lasts a second, one after the other. */
export interface Story {
  /** A call of A at the ledger, that the upstream took in its session and that was recorded. */
  call(change?: Partial<Made>, ending?: Ending): Made;
  readonly taken: Taken[];
  readonly records: AuditEvent[];
  readonly heard: Heard[];
  readonly sessionsLost: string[];
  /** The gateway is dead while the call is under way. */
  kill(call: Made): void;
  readonly findings: { -readonly [Name in keyof Findings]: Findings[Name] };
  /** Rules that were broken, each once. */
  rules(): readonly string[];
}

export function story(): Story {
  const calls: Made[] = [];
  const disturbances: Journal["disturbances"][number][] = [];
  const heard: Heard[] = [];
  const sessionsLost: string[] = [];
  const taken: Taken[] = [];
  const records: AuditEvent[] = [];
  const journal: Journal = { calls, disturbances, heard, sessionsLost };
  const findings = { journal, taken, records, unrecovered: [], logged: [], least: {} };
  return {
    call: (change = {}, ending = { kind: "result" }) => {
      const nonce = `n${calls.length + 1}`;
      const from = calls.length * 1000;
      const own = { agent: "A", label: "A", principal: "alice/agent-1", app: "ledger", what: "echo" } as const;
      const made: Made = { nonce, ...own, from, to: from + 500, ending, ...change };
      calls.push(made);
      taken.push({ ...TAKEN, app: made.app, principal: made.principal, session: `of ${made.label}`, nonce });
      records.push(recordOf(made));
      return made;
    },
    taken,
    records,
    heard,
    sessionsLost,
    kill: ({ from, to }) => void disturbances.push({ kind: "kill", whom: "gateway", from: from + 1, to }),
    findings,
    rules: () => [...new Set(judge(findings).map(({ rule }) => rule))],
  };
}

const TAKEN = { life: "first", method: "tools/call" };

function recordOf({ nonce, label, principal, app, ending, from }: Made): AuditEvent {
  const [user = "", agent = ""] = principal.split("/");
  const outcome = ending.kind === "result" ? "success" : "upstream_error";
  const digest = argumentsDigest({ nonce, label });
  return {
    id: `record of ${nonce}`,
    time: from,
    type: "tool.invoked",
    outcome,
    user,
    agent,
    app,
    argumentsDigest: digest,
  };
}
