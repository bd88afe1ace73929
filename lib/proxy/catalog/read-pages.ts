import type { JsonObject } from "../../json.ts";
import { METHOD_NOT_FOUND, RpcError } from "../../mcp/json-rpc.ts";
import { UpstreamRefusal } from "../refusal.ts";
import type { KindTerms } from "./kinds.ts";

/** Sends a request to an upstream. Rejects with `RpcError` or `UpstreamRefusal` where the upstream answers with an error. */
export type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

export interface Page {
  readonly entries: readonly unknown[];
  /** How long the upstream lets it be kept, milliseconds, 0 and more; absent: it does not say. */
  readonly ttlMs?: number;
  readonly isLast: boolean;
}

/**
 * The pages of a list, one after another as they are wanted, until the upstream has no more or names a page that it named
 * before. Of a method that the upstream does not know there are none.
 *
 * @throws what `ask` rejects with, also for a later page: half a list looks like tools that are gone
 */
export async function* readPages(
  { method, member }: Pick<KindTerms, "method" | "member">,
  ask: Ask,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const result = await askFor(method, cursor, ask);
    if (result === undefined) return;
    const entries = result[member];
    if (!Array.isArray(entries)) throw new Error(`the answer to ${method} has no list of ${member}`);
    const { ttlMs } = result;
    cursor = nextOf(result, seen);
    yield { entries, isLast: cursor === undefined, ...(isNumber(ttlMs) && { ttlMs: Math.max(0, ttlMs) }) };
  } while (cursor !== undefined);
}

/** Undefined where the upstream does not know the method. */
async function askFor(method: string, cursor: string | undefined, ask: Ask): Promise<JsonObject | undefined> {
  try {
    return await ask(method, cursor === undefined ? {} : { cursor });
  } catch (error) {
    if (cursor === undefined && codeOf(error) === METHOD_NOT_FOUND) return undefined;
    throw error;
  }
}

function codeOf(error: unknown): number | undefined {
  if (error instanceof UpstreamRefusal) return error.error?.code;
  return error instanceof RpcError ? error.code : undefined;
}

/** The empty text is a cursor like any other (MCP, Pagination). */
function nextOf({ nextCursor }: JsonObject, seen: Set<string>): string | undefined {
  if (typeof nextCursor !== "string" || seen.has(nextCursor)) return undefined;
  seen.add(nextCursor);
  return nextCursor;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
