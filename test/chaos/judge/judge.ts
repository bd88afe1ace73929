import type { Stored } from "../target.ts";
import { type Activity, judgeActivity } from "./activity.ts";
import { judgeReplays, judgeRevocations } from "./assertions.ts";
import { type IssueEvent, judgeAudit, judgePages, judgeStored } from "./audit.ts";
import { judgeGrants } from "./grants.ts";
import type { History } from "./history.ts";
import { judgeKeys, judgeRefusals } from "./refusals.ts";
import { judgeServer } from "./server.ts";
import { judgeTokens } from "./tokens.ts";
import type { Violation } from "./violation.ts";

/** What was found out after the last restart, besides what the journal says. */
export interface Findings {
  /** As the export shows them. */
  readonly events: readonly IssueEvent[];
  /** As the pages show them. */
  readonly paged: readonly IssueEvent[];
  readonly stored: Stored;
  /** Where something secret was written, and what kind of secret. */
  readonly leaks: readonly string[];
  /** How often the server ended although nobody killed it. */
  readonly crashes: number;
  /** Whether a new key must work at once. */
  readonly seesChangesAtOnce: boolean;
  /** What the run has to have tried for its silence to say anything. */
  readonly leastActivity: Activity;
}

/** Everything that must never be, in what the driver saw. */
export function judge(history: History, findings: Findings): readonly Violation[] {
  const { events, paged, stored, leaks, crashes, seesChangesAtOnce, leastActivity } = findings;
  return [
    ...judgeTokens(history),
    ...judgeReplays(history),
    ...judgeRevocations(history),
    ...judgeGrants(history),
    ...judgeAudit(history, events),
    ...judgePages(events, paged),
    ...judgeStored(events, stored),
    ...judgeServer(history),
    ...leaks.map((text): Violation => ({ rule: "secret in logs", text })),
    ...(crashes === 0 ? [] : [{ rule: "server failed", text: `it ended by itself ${crashes} times` } as const]),
    ...(seesChangesAtOnce ? judgeRefusals(history) : []),
    ...judgeKeys(history),
    ...judgeActivity(history, leastActivity),
  ];
}
