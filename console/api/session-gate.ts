import { ApiProblem } from "./problem.ts";

/** Holds requests that found the session over until there is one again, and tells the dialog that asks for it. */
export interface SessionGate {
  /** Resolves when the person has signed in again. */
  readonly wait: () => Promise<void>;
  readonly isOver: () => boolean;
  /** There is a session again: what waits goes on. */
  readonly renew: () => void;
  /** The person does not sign in again: what waits fails. */
  readonly giveUp: () => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createSessionGate(): SessionGate {
  const listeners = new Set<() => void>();
  let pending: PromiseWithResolvers<void> | undefined;
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const close = () => {
    const former = pending;
    pending = undefined;
    tell();
    return former;
  };
  return {
    wait: () => {
      if (pending === undefined) {
        pending = withResolvers();
        tell();
      }
      return pending.promise;
    },
    isOver: () => pending !== undefined,
    renew: () => close()?.resolve(),
    giveUp: () => close()?.reject(signedOut()),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/** `Promise.withResolvers`, which the oldest browsers that are served do not have. */
function withResolvers(): PromiseWithResolvers<void> {
  let settle: Pick<PromiseWithResolvers<void>, "resolve" | "reject"> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as NonNullable<typeof settle>) };
}

function signedOut(): ApiProblem {
  return new ApiProblem({ status: 401, code: "not_signed_in", title: "Signed out", detail: "Your session is over." });
}
