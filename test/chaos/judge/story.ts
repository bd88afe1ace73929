import type { Assertion, Disturbance, Exchange, Grants, Journal, Loss, Operation, Result } from "../journal.ts";
import type { IssueEvent } from "./audit.ts";
import { historyOf } from "./history.ts";
import { type Findings, judge } from "./judge.ts";
import type { Violation } from "./violation.ts";

export const CLIENT = "client_1";
export const KEY = "key_1";
export const GRANTS: Grants = { scopes: ["audit:read"], resources: ["https://books.example/api"] };

/** A run without faults, to which a test adds one: a client with a key, and tokens as they are asked for. */
export interface Story {
  /** A request that begins and ends before the next one. */
  tell(operation: Operation, status: number, result?: Result): void;
  lose(operation: Operation, loss: Loss): void;
  /** Begins now and ends when the returned function is called. */
  begin(operation: Operation): (status: number, result?: Result) => void;
  /** The journal goes on while the disturbance lasts. */
  disturb(kind: string, cutsOff: boolean, meanwhile: () => void): void;
  /** A token that is issued, with its event and its stored record. */
  issue(name: string, assertion?: Partial<Assertion>): void;
  introspect(token: string, active: boolean): void;
  restart(): void;
  readonly findings: { -readonly [Name in keyof Findings]: Findings[Name] };
  /** Journal and findings, judged. */
  violations(): readonly Violation[];
}

export function story(): Story {
  const exchanges: Exchange[] = [];
  const disturbances: Disturbance[] = [];
  const findings: Story["findings"] = {
    events: [],
    paged: [],
    stored: { tokenIds: [], events: [], undelivered: 0 },
    leaks: [],
    crashes: 0,
    seesChangesAtOnce: true,
    leastActivity: {},
  };
  let order = 0;
  let lastRestart = Number.POSITIVE_INFINITY;

  const begin = (operation: Operation) => {
    const sent = ++order;
    const place = exchanges.push({ sent, operation }) - 1;
    return (end: Pick<Exchange, "status" | "result" | "loss">) => {
      exchanges[place] = { sent, operation, ...end, ended: ++order };
    };
  };
  const tell = (operation: Operation, status: number, result: Result = {}) => begin(operation)({ status, result });
  const record = (event: IssueEvent): void => {
    const { events, stored } = findings;
    findings.events = [...events, event];
    findings.paged = [...findings.paged, event];
    findings.stored = {
      ...stored,
      tokenIds: [...stored.tokenIds, event.tokenId],
      events: [...stored.events, event],
    };
  };
  tell({ kind: "create_client", grants: GRANTS }, 201, { client: CLIENT });
  tell({ kind: "add_key", client: CLIENT }, 201, { key: KEY });
  return {
    tell,
    lose: (operation, loss) => begin(operation)({ loss }),
    begin: (operation) => {
      const end = begin(operation);
      return (status, result = {}) => end({ status, result });
    },
    disturb: (kind, cutsOff, meanwhile) => {
      const from = ++order;
      meanwhile();
      disturbances.push({ kind, cutsOff, from, to: ++order });
    },
    issue: (name, change = {}) => {
      const assertion = { client: CLIENT, key: KEY, jti: `jti of ${name}`, ...change };
      const { client, key } = assertion;
      tell({ kind: "token", assertion }, 200, { requestId: `request of ${name}`, token: name, scopes: ["audit:read"] });
      record({ id: `event of ${name}`, requestId: `request of ${name}`, client, key, tokenId: `tok_${name}` });
    },
    introspect: (token, active) =>
      tell({ kind: "introspect", token }, 200, { active, ...(active && { tokenId: `tok_${token}` }) }),
    restart: () => {
      lastRestart = ++order;
    },
    findings,
    violations: () => {
      const journal: Journal = { exchanges, disturbances, lastRestart };
      return judge(historyOf(journal), findings);
    },
  };
}

/** How each story ends: a restart, after which a token of the key is issued and every named token looked at. */
export function conclude(it: Story, tokens: Readonly<Record<string, boolean>>): readonly string[] {
  it.restart();
  it.issue("last");
  for (const [token, active] of Object.entries({ ...tokens, last: true })) it.introspect(token, active);
  return [...new Set(it.violations().map(({ rule }) => rule))];
}
