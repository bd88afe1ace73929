import type { Assertion, Exchange, Grants, Journal, Operation } from "../journal.ts";

type Kind = Operation["kind"];

/** An exchange whose operation is of one kind. */
export type Of<K extends Kind> = Exchange & { readonly operation: Extract<Operation, { readonly kind: K }> };

/** A token that a client holds, since an answer gave it. */
export interface IssuedToken {
  readonly name: string;
  readonly issue: Of<"token">;
}

/** When something was asked to end, and when it was acknowledged; each the earliest. Infinite: never. */
export interface End {
  readonly asked: number;
  readonly acknowledged: number;
}

/** The journal by what it is about. */
export interface History {
  readonly journal: Journal;
  of<K extends Kind>(kind: K): readonly Of<K>[];
  readonly issued: readonly IssuedToken[];
  readonly assertions: readonly { readonly exchange: Exchange; readonly assertion: Assertion }[];
  endOfKey(key: string): End;
  endOfClient(client: string): End;
  /** Of a token by its revocation or by its client's deletion with its tokens. */
  endOfToken(token: IssuedToken): End;
  /** Changes of a client's grants in the order of their sending, its creation first. */
  grants(client: string): readonly { readonly exchange: Exchange; readonly grants: Grants }[];
}

const NEVER: End = { asked: Number.POSITIVE_INFINITY, acknowledged: Number.POSITIVE_INFINITY };

export function historyOf(journal: Journal): History {
  const byKind = Map.groupBy(journal.exchanges, ({ operation }) => operation.kind);
  const of = <K extends Kind>(kind: K) =>
    (byKind.get(kind) ?? []).filter((exchange): exchange is Of<K> => exchange.operation.kind === kind);
  const deletions = of("delete_client");
  const keys = endsBy(of("revoke_key"), ({ operation }) => operation.key);
  const clients = endsBy(deletions, ({ operation }) => operation.client);
  const clientTokens = endsBy(
    deletions.filter(({ operation }) => operation.revokeTokens),
    ({ operation }) => operation.client,
  );
  const tokens = endsBy(of("revoke_token"), ({ operation }) => operation.token);
  const changes = Map.groupBy(
    [
      ...of("create_client").map((exchange) => ({
        exchange,
        client: exchange.result?.client,
        grants: exchange.operation.grants,
      })),
      ...of("change_grants").map((exchange) => ({ exchange, ...exchange.operation })),
    ],
    ({ client }) => client,
  );
  return {
    journal,
    of,
    issued: of("token").flatMap((issue) =>
      issue.result?.token === undefined ? [] : [{ name: issue.result.token, issue }],
    ),
    assertions: journal.exchanges.flatMap((exchange) => {
      const { operation } = exchange;
      return "assertion" in operation && operation.assertion !== undefined
        ? [{ exchange, assertion: operation.assertion }]
        : [];
    }),
    endOfKey: (key) => keys.get(key) ?? NEVER,
    endOfClient: (client) => clients.get(client) ?? NEVER,
    endOfToken: ({ name, issue }) =>
      earlier(tokens.get(name) ?? NEVER, clientTokens.get(issue.operation.assertion.client) ?? NEVER),
    grants: (client) => changes.get(client) ?? [],
  };
}

/** Whether the change is certain. A deletion that finds nothing any more confirms one whose answer was lost. */
export function isAcknowledged({ operation, status }: Exchange): boolean {
  return isSuccess(status) || (operation.kind === "delete_client" && status === 404);
}

export function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function endsBy<E extends Exchange>(
  exchanges: readonly E[],
  nameOf: (exchange: E) => string,
): ReadonlyMap<string, End> {
  const ends = new Map<string, End>();
  for (const exchange of exchanges) {
    const { sent, ended = Number.POSITIVE_INFINITY } = exchange;
    if (exchange.loss === "unsent") continue;
    const acknowledged = isAcknowledged(exchange) ? ended : Number.POSITIVE_INFINITY;
    ends.set(nameOf(exchange), earlier(ends.get(nameOf(exchange)) ?? NEVER, { asked: sent, acknowledged }));
  }
  return ends;
}

function earlier(one: End, other: End): End {
  return {
    asked: Math.min(one.asked, other.asked),
    acknowledged: Math.min(one.acknowledged, other.acknowledged),
  };
}
