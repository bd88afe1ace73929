import { type History, isSuccess } from "./history.ts";
import type { Violation } from "./violation.ts";

/** One `jti` of a client is accepted at most once over all endpoints, restarts included (RFC 7523 §3 no. 7). */
export function judgeReplays({ assertions }: History): readonly Violation[] {
  const accepted = assertions.filter(({ exchange }) => isSuccess(exchange.status));
  const byId = Map.groupBy(accepted, ({ assertion }) => `${assertion.client} ${assertion.jti}`);
  return [...byId]
    .filter(([, acceptances]) => acceptances.length > 1)
    .map(([id, acceptances]) => ({
      rule: "assertion accepted twice",
      text: `${id} was accepted at ${acceptances.map(({ exchange }) => exchange.ended).join(" and ")}`,
    }));
}

/** Nothing is accepted that was sent after its key's revocation or its client's deletion was acknowledged. */
export function judgeRevocations({ assertions, endOfKey, endOfClient }: History): readonly Violation[] {
  return assertions
    .filter(({ exchange }) => isSuccess(exchange.status))
    .flatMap(({ exchange: { sent }, assertion: { key, client } }) =>
      [
        { what: `key ${key}, revoked`, since: endOfKey(key).acknowledged },
        { what: `client ${client}, deleted`, since: endOfClient(client).acknowledged },
      ]
        .filter(({ since }) => sent > since)
        .map(({ what, since }): Violation => {
          const text = `the ${what} at ${since}, was accepted in the request of ${sent}`;
          return { rule: "revoked and still accepted", text };
        }),
    );
}
