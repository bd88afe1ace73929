import type { Exchange } from "../journal.ts";
import type { History } from "./history.ts";
import type { Violation } from "./violation.ts";

/**
 * The server answers every request without an error of its own, except those under way while it was killed or one of its
 * objects cut off.
 */
export function judgeServer({ journal }: History): readonly Violation[] {
  const cuts = journal.disturbances.filter(({ cutsOff }) => cutsOff);
  const isExcused = ({ sent, ended = sent }: Exchange) => cuts.some(({ from, to }) => sent < to && ended > from);
  return journal.exchanges
    .filter((exchange) => failure(exchange) !== undefined && !isExcused(exchange))
    .map((exchange) => {
      const text = `${exchange.operation.kind}, sent at ${exchange.sent}, ${failure(exchange)}`;
      return { rule: "server failed", text };
    });
}

function failure({ status, loss, ended }: Exchange): string | undefined {
  if (ended === undefined) return "never ended";
  if (status !== undefined) return status >= 500 ? `was answered ${status}` : undefined;
  return loss === "timeout" ? "was not answered in time" : `got no answer: ${loss}`;
}
