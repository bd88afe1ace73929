import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import type { ApiClient } from "../../api/client.ts";
import type { ListPage } from "../../api/request.ts";
import type { ComparedRecord, Policies, PolicySource, Surroundings } from "../../policy-test/protocol.ts";
import type { Tester } from "../../policy-test/tester.ts";

/** Recorded calls of the app that are compared, and records of all apps that are read for them. */
export const MOST = { calls: 1_000, records: 10_000 };
const PAGE = 200;

/** What came of it, as far as it went. */
export interface Comparison {
  readonly compared: readonly ComparedRecord[];
  /** Records of calls of all apps. */
  readonly read: number;
  /** `all`: there are no more. `enough`: there may be. */
  readonly end: "under way" | "all" | "enough" | "stopped" | "failed";
}

export interface Comparing {
  readonly api: Pick<ApiClient, "send">;
  readonly tester: Pick<Tester, "ask">;
  readonly app: string;
  readonly policies: Policies<PolicySource>;
  readonly surroundings: Surroundings;
}

/** Page by page, each compared as soon as it is there. Rejects when the signal says so. */
export async function* comparing(
  { api, tester, app, policies, surroundings }: Comparing,
  signal: AbortSignal,
): AsyncGenerator<Comparison> {
  let compared: readonly ComparedRecord[] = [];
  let read = 0;
  let cursor: string | undefined;
  do {
    const query = { type: "tool.invoked", limit: PAGE, cursor };
    const { body } = await api.send<ListPage<AuditEvent>>({ path: "/audit-events", query, signal });
    const records = body.items.filter((record) => record.app === app).slice(0, MOST.calls - compared.length);
    const more = await tester.ask({ kind: "compare", policies, records, surroundings });
    signal.throwIfAborted();
    compared = [...compared, ...more];
    read += body.items.length;
    cursor = body.nextCursor;
    const isEnough = compared.length >= MOST.calls || read >= MOST.records;
    yield { compared, read, end: cursor === undefined ? "all" : isEnough ? "enough" : "under way" };
    if (isEnough) return;
  } while (cursor !== undefined);
}
