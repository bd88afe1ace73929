import { base64url } from "../../kernel/encoding.ts";
import type { Random } from "../../kernel/random.ts";
import { type RunningCall, type Step, startCall } from "../across-generations/running-call.ts";
import { aborted } from "../wire/upstream-failure.ts";
import { type WaitingCallQuota, waitingCallQuota } from "./quota.ts";
import type { Turn, WaitingCalls } from "./waiting-calls.ts";

/** In the memory of the process (D119): a call is lost with it, and the agent makes it anew. */
export function localWaitingCalls(random: Random, quota: WaitingCallQuota = waitingCallQuota()): WaitingCalls {
  const calls = new Map<string, { readonly principal: string; readonly call: RunningCall }>();

  async function hold(principal: string, call: RunningCall): Promise<string | undefined> {
    if (!(await quota.enter(principal, call.over))) return undefined;
    const name = base64url(random.bytes(16));
    calls.set(name, { principal, call });
    void call.over.then(() => calls.delete(name));
    return name;
  }

  return {
    start: async ({ principal, request, session, instance }, attached) => {
      const call = startCall(request, session, attached, instance);
      const step = await call.first;
      if (step.kind === "answered") return step;
      // Nobody will ever name it.
      const isLeft = attached.upstream.signal.aborted;
      const name = isLeft ? undefined : await hold(principal, call);
      if (name !== undefined) return asTurn(step, name);
      call.abandon();
      if (isLeft) throw aborted();
      return { kind: "crowded" };
    },
    resume: async ({ principal, name, round, result }, attached) => {
      const held = calls.get(name);
      const question = held?.principal === principal ? held.call.question() : undefined;
      if (held === undefined || question?.round !== round) return undefined;
      if (result === undefined) return { kind: "asked", name, question };
      return asTurn(await held.call.answer(result, attached), name);
    },
  };
}

function asTurn(step: Step, name: string): Turn {
  return step.kind === "asked" ? { ...step, name } : step;
}
