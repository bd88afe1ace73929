import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import type { Random } from "../../../lib/kernel/random.ts";
import { orderPlace } from "../../../lib/upstream/waiting/remote/call-place.ts";
import { remoteWaitingCalls } from "../../../lib/upstream/waiting/remote/remote-calls.ts";
import type { Turn, WaitingCalls } from "../../../lib/upstream/waiting/waiting-calls.ts";
import { NeighbourGone, type Neighbours, type Orders } from "./neighbours.ts";

/**
 * Calls that wait stay with the worker that made them, whose number their names begin with: whoever comes back at another worker
 * has it ask that one.
 *
 * @param number of this worker
 */
export function waitingAtWorkers(
  here: WaitingCalls,
  number: number,
  neighbours: Pick<Neighbours, "order">,
  random: Random,
): WaitingCalls {
  const named = <Result extends Turn | undefined>(turn: Result): Result =>
    turn?.kind === "asked" ? { ...turn, name: `${number}.${turn.name}` } : turn;
  const there = (worker: number) =>
    remoteWaitingCalls(random, (name, order, signal) => neighbours.order(worker, nameOf(name).call, order, signal));
  return {
    start: async (call, attached) => named(await here.start(call, attached)),
    resume: async (back, attached) => {
      const { worker, call } = nameOf(back.name);
      if (worker === number) return named(await here.resume({ ...back, name: call }, attached));
      try {
        return await there(worker).resume(back, attached);
      } catch (cause) {
        if (cause instanceof NeighbourGone) return undefined;
        throw cause;
      }
    },
  };
}

export interface OrderPorts extends Pick<Dependencies, "configuration" | "outbound" | "logger" | "random"> {
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** What carries out the orders of other workers. */
export function ordersTo(here: WaitingCalls, { configuration, outbound, logger, waitUntil }: OrderPorts): Orders {
  const fetchOf = ({ name }: { readonly name: string }) => {
    const app = appOf(configuration().configuration, name);
    return outbound(app?.tls, app?.connection);
  };
  return (call, order, signal) =>
    orderPlace({ logger, waitUntil, fetchOf }, async ({ principal, what }, attached) =>
      what.kind === "resume" ? here.resume({ ...what, principal, name: call }, attached) : undefined,
    )(order, signal);
}

function appOf({ apps }: Configuration, name: string) {
  const found = apps.find((app) => app.name === name);
  return found?.type === "mcpProxy" ? found : undefined;
}

function nameOf(name: string): { readonly worker: number; readonly call: string } {
  const [worker = "", call = ""] = name.split(".");
  return { worker: Number(worker), call };
}
