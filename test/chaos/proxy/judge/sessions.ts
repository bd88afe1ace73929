import type { Made } from "../journal.ts";
import type { Taken } from "../upstream/moods.ts";
import type { Findings } from "./findings.ts";
import type { Violation } from "./violation.ts";

/** A session of an upstream is that of one agent's session, and stays it as long as the upstream lives. */
export function judgeSessions({ journal, taken }: Findings): readonly Violation[] {
  const calls = new Map(journal.calls.map((call) => [call.nonce, call]));
  const texts = [
    ...[...Map.groupBy(taken.filter(hasSession), ({ session }) => session)].flatMap(([session, each]) =>
      mixedIn(session, each, calls),
    ),
    ...taken.flatMap((one) => mistaken(one, calls)),
    ...journal.heard
      .filter(({ session, label }) => session !== label)
      .map(({ session, label }) => `the stream of ${session} told of ${label}`),
  ];
  const interrupted = [
    ...journal.sessionsLost.map((session) => `${session}: the gateway did not know it any more`),
    ...[...Map.groupBy(taken.filter(hasSession), (one) => continuityOf(one, calls))].flatMap(changed),
  ];
  return [
    ...texts.map((text) => ({ rule: "a session that is another's", text }) as const),
    ...interrupted.map((text) => ({ rule: "a session that did not go on", text }) as const),
  ];
}

type InSession = Taken & Required<Pick<Taken, "session">>;

function hasSession(taken: Taken): taken is InSession {
  return taken.session !== undefined;
}

function mixedIn(session: string, each: readonly InSession[], calls: ReadonlyMap<string, Made>): readonly string[] {
  const labels = new Set(each.flatMap(({ nonce }) => calls.get(nonce ?? "")?.label ?? []));
  const principals = new Set(each.map(({ principal }) => principal));
  return [
    ...(labels.size > 1 ? [`${session} had calls of ${[...labels].join(", ")}`] : []),
    ...(principals.size > 1 ? [`${session} was used by ${[...principals].join(", ")}`] : []),
  ];
}

function mistaken({ nonce = "", principal, app, method }: Taken, calls: ReadonlyMap<string, Made>): readonly string[] {
  if (principal === "") return [`${method} at ${app} carried no principal`];
  const call = calls.get(nonce);
  return call === undefined || call.principal === principal
    ? []
    : [`${nonce} of ${call.principal} came as ${principal}`];
}

/** What stays in one session: calls of one agent's session at one life of an upstream. */
function continuityOf({ life, app, nonce }: InSession, calls: ReadonlyMap<string, Made>): string {
  const label = calls.get(nonce ?? "")?.label;
  return label === undefined ? "" : `${label} at ${app}, life ${life}`;
}

function changed([what, each]: readonly [string, readonly InSession[]]): readonly string[] {
  const sessions = new Set(each.map(({ session }) => session));
  return what === "" || sessions.size <= 1 ? [] : [`${what}: ${[...sessions].join(", ")}`];
}
