import type { Grants } from "../journal.ts";
import { type History, isAcknowledged, type Of } from "./history.ts";
import type { Violation } from "./violation.ts";

/** No token has a scope or is for a resource that had been taken away before it was asked for. */
export function judgeGrants(history: History): readonly Violation[] {
  return history.issued.flatMap(({ name, issue }) => {
    const possible = possibleGrants(issue, history);
    const { resource } = issue.operation;
    const surplus = (issue.result?.scopes ?? []).filter(
      (scope) => !possible.some(({ scopes }) => scopes.includes(scope)),
    );
    const isForeign = resource !== undefined && !possible.some(({ resources }) => resources.includes(resource));
    return [...surplus, ...(isForeign ? [resource] : [])].map((what): Violation => {
      const text = `${name} has ${what}, which had been taken away before its request of ${issue.sent}`;
      return { rule: "revoked and still accepted", text };
    });
  });
}

/**
 * Every state that the client's grants may have been in while the request was under way: the last certain one before it and
 * each that was asked for since. The owner changes one client by one request at a time.
 */
export function possibleGrants({ sent, ended = sent, operation }: Of<"token">, { grants }: History): readonly Grants[] {
  const changes = grants(operation.assertion.client).filter(
    ({ exchange }) => exchange.sent < ended && exchange.loss !== "unsent",
  );
  const certain = changes.findLastIndex(
    ({ exchange }) => isAcknowledged(exchange) && (exchange.ended ?? Number.POSITIVE_INFINITY) < sent,
  );
  return changes.slice(Math.max(certain, 0)).map((change) => change.grants);
}
