import type { Assertion } from "../journal.ts";
import { possibleGrants } from "./grants.ts";
import { type History, isSuccess, type Of } from "./history.ts";
import type { Violation } from "./violation.ts";

/**
 * What was valid all the time was not refused: a `jti` presented for the first time, by an acknowledged key that nobody
 * had asked to revoke, of a client that nobody had asked to delete, for what it may certainly have.
 */
export function judgeRefusals(history: History): readonly Violation[] {
  const keys = acknowledgedKeys(history);
  const presentations = Map.groupBy(history.assertions, ({ assertion }) => idOf(assertion));
  return history
    .of("token")
    .filter((request) => request.status !== undefined && request.status >= 400 && request.status < 500)
    .filter((request) => {
      const { sent, operation, ended = sent } = request;
      const { assertion, scopes } = operation;
      const earlier = presentations
        .get(idOf(assertion))
        ?.some(({ exchange }) => exchange !== request && exchange.sent < ended);
      return (
        earlier !== true &&
        scopes === undefined &&
        (keys.get(assertion.key) ?? Number.POSITIVE_INFINITY) < sent &&
        isUntouched(assertion, ended, history) &&
        isForGranted(request, history)
      );
    })
    .map(({ sent, result }) => ({ rule: "valid request refused", text: `the request of ${sent}: ${result?.refusal}` }));
}

/** After the last restart every key that was acknowledged and never revoked brings a token. */
export function judgeKeys(history: History): readonly Violation[] {
  const { lastRestart } = history.journal;
  const working = new Set(
    history.issued.filter(({ issue }) => issue.sent > lastRestart).map(({ issue }) => issue.operation.assertion.key),
  );
  return history
    .of("add_key")
    .flatMap(({ operation: { client }, result }) => (result?.key === undefined ? [] : [{ client, key: result.key }]))
    .filter(({ client, key }) => isUntouched({ client, key }, Number.POSITIVE_INFINITY, history) && !working.has(key))
    .map(({ key }) => ({
      rule: "valid request refused",
      text: `the key ${key} brings no token after the last restart`,
    }));
}

/** When each key became certain. */
function acknowledgedKeys(history: History): ReadonlyMap<string, number> {
  return new Map(
    history.of("add_key").flatMap(({ result, ended }) => {
      return result?.key === undefined || ended === undefined ? [] : [[result.key, ended] as const];
    }),
  );
}

/** Nobody had asked to end the key or its client until then. */
function isUntouched(
  { key, client }: Pick<Assertion, "key" | "client">,
  until: number,
  { endOfKey, endOfClient }: History,
): boolean {
  return !(endOfKey(key).asked < until) && !(endOfClient(client).asked < until);
}

function isForGranted(request: Of<"token">, history: History): boolean {
  const { resource } = request.operation;
  return (
    resource === undefined || possibleGrants(request, history).every(({ resources }) => resources.includes(resource))
  );
}

function idOf({ client, jti }: Assertion): string {
  return `${client} ${jti}`;
}

/** Refusals by what was said. */
export function refusalCounts({ journal }: History): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { result, status } of journal.exchanges) {
    if (result?.refusal === undefined || isSuccess(status)) continue;
    counts.set(result.refusal, (counts.get(result.refusal) ?? 0) + 1);
  }
  return counts;
}
