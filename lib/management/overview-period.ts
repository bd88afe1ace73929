import type { AuditIntervalCount, AuditKindSum, AuditOutcome, AuditTally, SummedType } from "../stores/audit-log.ts";
import type { ManagementPorts } from "./ports.ts";
import type { LastHour, OverviewRange, Period } from "./schemas/overview.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Milliseconds of an interval, and how many a range has; the last one is not over yet. Days and their quarters are those of UTC. */
const RANGES: Readonly<Record<OverviewRange, readonly [interval: number, count: number]>> = {
  "1h": [5 * MINUTE, 12],
  "24h": [HOUR, 24],
  "7d": [6 * HOUR, 28],
  "30d": [24 * HOUR, 30],
};

const CALLS: readonly SummedType[] = ["tool.invoked"];
const ISSUES: readonly SummedType[] = ["token.issued", "token.exchanged"];
const TOKENS: readonly SummedType[] = [...ISSUES, "token.refused"];

const OUTCOMES = {
  succeeded: ["success"],
  denied: ["denied", "refused"],
  failed: ["tool_error", "upstream_error", "cancelled"],
  /** The upstream did what it was asked, or said why not. */
  answered: ["success", "tool_error"],
  unanswered: ["upstream_error"],
} as const satisfies Readonly<Record<string, readonly AuditOutcome[]>>;

const TOOLS = 5;
const REASONS = 3;
const LIMITS = 10;
const UPSTREAMS = 10;

/** Tool calls and token requests of an organization, from the sums of the audit log (D268). Calls that are open count nowhere. */
export async function readPeriod(
  { stores, clock }: Pick<ManagementPorts, "stores" | "clock">,
  organizationId: string,
  range: OverviewRange,
): Promise<Period> {
  const [interval, count] = RANGES[range];
  const to = (Math.floor(clock.now() / interval) + 1) * interval;
  const from = to - count * interval;
  const tally = await stores.auditLog.tally({ organizationId, types: [...CALLS, ...TOKENS], from, to, interval });
  const { complete, countedFrom = complete ? from : to } = tally;
  const starts = Array.from({ length: count }, (_, index) => from + index * interval);
  return {
    range,
    ...{ from: timeOf(from), to: timeOf(to), interval: interval / 1000 },
    ...(complete ? { isComplete: true } : { isComplete: false, countedFrom: timeOf(Math.min(countedFrom, to)) }),
    ...seriesOf(
      tally,
      starts.filter((start) => start + interval > countedFrom),
    ),
    ...toolsOf(tally),
    limits: limitsOf(tally),
  };
}

/** The same as the members of an overview that are of the last hour had it before there were ranges. */
export function lastHourOf({ from, interval, isComplete, toolCalls, tokenRequests }: Period): LastHour {
  const starts = Array.from({ length: RANGES["1h"][1] }, (_, index) =>
    timeOf(Date.parse(from) + index * interval * 1000),
  );
  const calls = new Map(toolCalls.map((call) => [call.start, call]));
  const tokens = new Map(tokenRequests.map((request) => [request.start, request]));
  return {
    ...{ from, interval, isComplete },
    toolCalls: starts.map((start) => {
      const { succeeded = 0, denied = 0, failed = 0 } = calls.get(start) ?? {};
      return { start, succeeded, failed: denied + failed };
    }),
    tokenRequests: starts.map((start) => tokens.get(start) ?? { start, issued: 0, refused: 0 }),
  };
}

function seriesOf(
  { counts }: AuditTally,
  starts: readonly number[],
): Pick<Period, "toolCalls" | "tokenRequests" | "upstreams"> {
  const calls = counts.filter(isOf(CALLS));
  const issues = counts.filter(isOf(ISSUES));
  const tokens = counts.filter(isOf(TOKENS));
  return {
    toolCalls: starts.map((start) => ({
      start: timeOf(start),
      succeeded: sum(calls, start, OUTCOMES.succeeded),
      denied: sum(calls, start, OUTCOMES.denied),
      failed: sum(calls, start, OUTCOMES.failed),
    })),
    tokenRequests: starts.map((start) => ({
      start: timeOf(start),
      issued: sum(issues, start, OUTCOMES.succeeded),
      refused: sum(tokens, start) - sum(tokens, start, OUTCOMES.succeeded),
    })),
    upstreams: upstreamsOf(calls, starts),
  };
}

/** Apps that were called, by what came of it at their upstreams: those that failed most first. */
function upstreamsOf(calls: readonly AuditIntervalCount[], starts: readonly number[]): Period["upstreams"] {
  const apps = Map.groupBy(calls, ({ app = "" }) => app);
  return [...apps]
    .filter(([app]) => app !== "")
    .map(([app, ofApp]) => ({
      app,
      answered: total(ofApp, OUTCOMES.answered),
      failed: total(ofApp, OUTCOMES.unanswered),
      intervals: starts.map((start) => ({
        start: timeOf(start),
        answered: sum(ofApp, start, OUTCOMES.answered),
        failed: sum(ofApp, start, OUTCOMES.unanswered),
      })),
    }))
    .filter(({ answered, failed }) => answered + failed > 0)
    .sort((one, other) => other.failed - one.failed || other.answered - one.answered)
    .slice(0, UPSTREAMS);
}

function toolsOf({ kinds }: AuditTally): Pick<Period, "slowestTools" | "mostRefusedTools"> {
  const tools = Map.groupBy(kinds.filter(isOf(CALLS)), ({ tool = "" }) => tool);
  tools.delete("");
  const all = [...tools].map(([tool, ofTool]) => ({ tool, ofTool, ...appOf(ofTool) }));
  const slowest = all
    .map(({ ofTool, ...named }) => ({ ...named, ...durationsOf(ofTool) }))
    .filter(({ calls }) => calls > 0)
    .sort((one, other) => other.averageMs - one.averageMs);
  const refused = all
    .map(({ ofTool, ...named }) => ({ ...named, ...refusalsOf(ofTool) }))
    .filter((tool) => tool.denied > 0)
    .sort((one, other) => other.denied - one.denied);
  return { slowestTools: slowest.slice(0, TOOLS), mostRefusedTools: refused.slice(0, TOOLS) };
}

function appOf([first]: readonly AuditKindSum[]): { readonly app?: string } {
  return first?.app === undefined ? {} : { app: first.app };
}

function durationsOf(kinds: readonly AuditKindSum[]) {
  const calls = kinds.reduce((all, { timed }) => all + timed, 0);
  const durationMs = kinds.reduce((all, kind) => all + kind.durationMs, 0);
  const longestMs = kinds.reduce((longest, kind) => Math.max(longest, kind.longestMs), 0);
  return { calls, averageMs: calls === 0 ? 0 : Math.round(durationMs / calls), longestMs };
}

function refusalsOf(kinds: readonly AuditKindSum[]) {
  const denied = kinds.filter(({ outcome }) => isIn(OUTCOMES.denied, outcome));
  const reasons = Map.groupBy(denied, ({ reason = "" }) => reason);
  reasons.delete("");
  const counted = [...reasons].map(([reason, ofReason]) => ({ reason, count: total(ofReason) }));
  return { denied: total(denied), reasons: largest(counted, REASONS) };
}

/** By name: of a record that stands for several limits, it is not known. */
function limitsOf({ kinds }: AuditTally): Period["limits"] {
  const limited = kinds.filter(({ type, reason }) => type === "tool.invoked" && reason === "limited");
  const limits = [...Map.groupBy(limited, ({ limit = "" }) => limit)].map(([limit, ofLimit]) => ({
    ...(limit !== "" && { limit }),
    count: total(ofLimit),
  }));
  return largest(limits, LIMITS);
}

function largest<Counted extends { readonly count: number }>(all: readonly Counted[], length: number): Counted[] {
  return all.toSorted((one, other) => other.count - one.count).slice(0, length);
}

function isOf(types: readonly SummedType[]): (counted: Pick<AuditIntervalCount, "type">) => boolean {
  return ({ type }) => (types as readonly string[]).includes(type);
}

function sum(counts: readonly AuditIntervalCount[], start: number, outcomes?: readonly AuditOutcome[]): number {
  return total(
    counts.filter((count) => count.start === start),
    outcomes,
  );
}

/** Of some outcomes; of all that is not open unless given. */
function total(counts: readonly Pick<AuditIntervalCount, "outcome" | "count">[], outcomes?: readonly AuditOutcome[]) {
  return counts
    .filter(({ outcome }) => (outcomes === undefined ? outcome !== "unknown" : isIn(outcomes, outcome)))
    .reduce((all, { count }) => all + count, 0);
}

function isIn(outcomes: readonly AuditOutcome[], outcome: AuditOutcome): boolean {
  return outcomes.includes(outcome);
}

function timeOf(time: number): string {
  return new Date(time).toISOString();
}
