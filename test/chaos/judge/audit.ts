import type { Stored } from "../target.ts";
import type { History } from "./history.ts";
import type { Violation } from "./violation.ts";

/** A `token.issued` event as the management API shows it. */
export interface IssueEvent {
  readonly id: string;
  readonly requestId: string;
  readonly client: string;
  readonly key: string;
  readonly tokenId: string;
}

/** Each acknowledged token has exactly one event, and each other event a request whose answer was lost. */
export function judgeAudit(history: History, events: readonly IssueEvent[]): readonly Violation[] {
  const byRequest = Map.groupBy(events, ({ requestId }) => requestId);
  return [
    ...repeated("event", events, ({ id }) => id),
    ...repeated("event of token", events, ({ tokenId }) => tokenId),
    ...repeated("event of request", events, ({ requestId }) => requestId),
    ...history.issued.flatMap(({ name, issue }) => {
      const { client, key } = issue.operation.assertion;
      const found = byRequest.get(issue.result?.requestId ?? "") ?? [];
      if (found.length === 0) return [violation(`${name}, acknowledged at ${issue.ended}, has no event`)];
      return found
        .filter((event) => event.client !== client || event.key !== key)
        .map(({ id }) => violation(`event ${id} of ${name} names another client or key`));
    }),
    ...judgeTokenIds(history, byRequest),
    ...judgeSurplus(history, events),
  ];
}

/** Pages and export show the same events. */
export function judgePages(exported: readonly IssueEvent[], paged: readonly IssueEvent[]): readonly Violation[] {
  const inExport = new Set(exported.map(({ id }) => id));
  const onPages = new Set(paged.map(({ id }) => id));
  return [
    ...repeated("event on the pages", paged, ({ id }) => id),
    ...without(inExport, onPages).map((id) => violation(`the event ${id} is exported and on no page`)),
    ...without(onPages, inExport).map((id) => violation(`the event ${id} is on a page and not exported`)),
  ];
}

/** The tokens and the events on disk are of the same ids, and the API shows what is there. */
export function judgeStored(events: readonly IssueEvent[], stored: Stored): readonly Violation[] {
  const tokenIds = new Set(stored.tokenIds);
  const eventTokenIds = new Set(stored.events.map(({ tokenId }) => tokenId));
  const eventIds = new Set(stored.events.map(({ id }) => id));
  const shown = new Set(events.map(({ id }) => id));
  return [
    ...repeated("stored token", stored.tokenIds, (tokenId) => tokenId),
    ...repeated("stored event of token", stored.events, ({ tokenId }) => tokenId),
    ...without(tokenIds, eventTokenIds).map((id) => violation(`the stored token ${id} has no stored event`)),
    ...without(eventTokenIds, tokenIds).map((id) => violation(`a stored event names ${id}, which is not stored`)),
    ...without(eventIds, shown).map((id) => violation(`the stored event ${id} is not shown by the API`)),
    ...without(shown, eventIds).map((id) => violation(`the API shows the event ${id}, which is not stored`)),
    ...(stored.undelivered === 0 ? [] : [violation(`${stored.undelivered} deliveries were left in outboxes`)]),
  ];
}

/** Introspection and the audit log call a token by the same id. */
function judgeTokenIds(history: History, byRequest: ReadonlyMap<string, readonly IssueEvent[]>): readonly Violation[] {
  const requests = new Map(history.issued.map(({ name, issue }) => [name, issue.result?.requestId ?? ""]));
  return history.of("introspect").flatMap(({ operation: { token }, result }) => {
    const [event] = byRequest.get(requests.get(token) ?? "") ?? [];
    if (event === undefined || result?.tokenId === undefined || result.tokenId === event.tokenId) return [];
    return [violation(`${token} is ${result.tokenId} in introspection and ${event.tokenId} in its event`)];
  });
}

/** Only a request that got no answer may have left an event that no acknowledged token explains. */
function judgeSurplus(history: History, events: readonly IssueEvent[]): readonly Violation[] {
  const explained = new Set(history.issued.map(({ issue }) => issue.result?.requestId));
  const surplus = Map.groupBy(
    events.filter(({ requestId }) => !explained.has(requestId)),
    ({ client }) => client,
  );
  const unanswered = Map.groupBy(
    history.of("token").filter(({ status, loss }) => (status === undefined ? loss !== "unsent" : status >= 500)),
    ({ operation }) => operation.assertion.client,
  );
  return [...surplus]
    .map(([client, { length }]) => ({ client, events: length, most: unanswered.get(client)?.length ?? 0 }))
    .filter((count) => count.events > count.most)
    .map((count) =>
      violation(
        `${count.client} has ${count.events} events without an acknowledged token, but only ${count.most} requests without answer`,
      ),
    );
}

function without(ids: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] {
  return [...ids].filter((id) => !others.has(id));
}

function repeated<T>(what: string, list: readonly T[], idOf: (entry: T) => string): readonly Violation[] {
  return [...Map.groupBy(list, idOf)]
    .filter(([, entries]) => entries.length > 1)
    .map(([id, entries]) => violation(`${what} ${id} exists ${entries.length} times`));
}

function violation(text: string): Violation {
  return { rule: "not audited exactly once", text };
}
