import { ApiProblem } from "./problem.ts";

/** Why a person has to sign in: the session is over, or too old for what they are about to do. */
export type SignInNeed = "session" | "recent_sign_in";

/** Holds requests that need another session until there is one, and tells the dialog that asks for it. */
export interface SessionGate {
  /** Resolves when the person has signed in again. */
  readonly wait: (need: SignInNeed) => Promise<void>;
  /** Undefined while nothing waits. */
  readonly need: () => SignInNeed | undefined;
  /** There is another session: what waits goes on. */
  readonly renew: () => void;
  /** The person does not sign in again: what waits fails. */
  readonly giveUp: () => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createSessionGate(): SessionGate {
  const listeners = new Set<() => void>();
  let pending: PromiseWithResolvers<void> | undefined;
  let current: SignInNeed | undefined;
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const close = () => {
    const former = pending;
    pending = undefined;
    current = undefined;
    tell();
    return former;
  };
  return {
    wait: (need) => {
      // Where no dialog is, as right after setup, nobody would ever answer.
      if (need === "recent_sign_in" && listeners.size === 0) return Promise.reject(notSignedInAgain());
      pending ??= withResolvers();
      // A session that is over needs another one for everything that waits.
      if (current !== "session" && current !== need) {
        current = need;
        tell();
      }
      return pending.promise;
    },
    need: () => current,
    renew: () => close()?.resolve(),
    giveUp: () => {
      const problem = current === "recent_sign_in" ? notSignedInAgain() : signedOut();
      close()?.reject(problem);
    },
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

function notSignedInAgain(): ApiProblem {
  const detail = "This can be done for ten minutes after signing in.";
  return new ApiProblem({ status: 403, code: "recent_sign_in_required", title: "Sign in again", detail });
}
