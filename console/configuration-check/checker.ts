import type { CheckAnswer, CheckAnswers, CheckRequest, CheckResult, Surroundings } from "./protocol.ts";

/** How checking goes. */
export interface CheckState {
  readonly status: "checking" | "checked" | "stopped" | "failed";
  /** The document that is being compiled. */
  readonly doing?: string | undefined;
  /** Of the last text that was checked; it stays while the next one is. */
  readonly result?: CheckResult | undefined;
  /** Whether `result` is about the text as it is. */
  readonly isCurrent: boolean;
  readonly surroundings: Surroundings;
  /** Why it failed. */
  readonly reason?: string;
}

/** Checks a text that changes, in a worker of its own, so that typing never waits. */
export interface Checker {
  readonly state: () => CheckState;
  readonly subscribe: (listener: () => void) => () => void;
  /** The text as it is now; it is checked after a pause. */
  readonly change: (text: string) => void;
  readonly give: (change: Partial<Surroundings>) => void;
  /** Checks at once, also after `stop`. */
  readonly checkNow: () => void;
  /** Ends the check that is under way. Nothing is checked until `checkNow`. */
  readonly stop: () => void;
  readonly ask: <Kind extends Asked>(
    request: Extract<CheckRequest, { readonly kind: Kind }>,
  ) => Promise<CheckAnswers[Kind]>;
  readonly close: () => void;
}

/** What is asked for once, beside the checks of the text. */
type Asked = Exclude<CheckRequest["kind"], "check">;

/** Milliseconds without a key before a text is checked: at least, and at most where checks take long. */
const PAUSE = 350;
const LONGEST_PAUSE = 5_000;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** @param startWorker the worker of `worker.ts` */
export function createChecker(startWorker: () => Worker): Checker {
  const listeners = new Set<() => void>();
  const waiting = new Map<number, Waiting>();
  let state: CheckState = { status: "checking", isCurrent: false, surroundings: { files: {}, mayFetch: false } };
  let worker: Worker | undefined;
  let lastId = 0;
  let text = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = PAUSE;
  /** Grows with every change, so that an answer about an older text is known as one. */
  let version = 0;
  let isUnderWay = false;

  const become = (change: Partial<CheckState>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  const end = (reason: string) => {
    worker?.terminate();
    worker = undefined;
    isUnderWay = false;
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  };
  const running = (): Worker => {
    if (worker !== undefined) return worker;
    worker = startWorker();
    worker.addEventListener("message", ({ data }: MessageEvent<CheckAnswer>) => {
      if ("doing" in data) return become({ doing: data.doing });
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      if ("failed" in data) asked?.reject(new Error(data.failed));
      else asked?.resolve(data.result);
    });
    worker.addEventListener("error", ({ message }) => {
      const reason = message || "The part of the page that checks configurations did not load.";
      end(reason);
      become({ status: "failed", reason });
    });
    return worker;
  };
  const send = (request: CheckRequest): Promise<unknown> => {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      running().postMessage({ ...request, id });
    });
  };
  const check = async () => {
    clearTimeout(timer);
    // The text that is there when this one is done is checked next; those between are never.
    if (isUnderWay) return;
    isUnderWay = true;
    const checked = version;
    const begun = performance.now();
    become({ status: "checking", doing: undefined });
    try {
      const result = (await send({ kind: "check", text, surroundings: state.surroundings })) as CheckResult;
      isUnderWay = false;
      pause = Math.min(LONGEST_PAUSE, Math.max(PAUSE, performance.now() - begun));
      const isCurrent = checked === version;
      become({ status: isCurrent ? "checked" : "checking", doing: undefined, result, isCurrent });
      if (!isCurrent) later();
    } catch (error) {
      isUnderWay = false;
      if (state.status === "checking") become({ status: "failed", reason: (error as Error).message });
    }
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void check(), pause);
  };
  const changed = () => {
    version += 1;
    if (state.status === "stopped") return become({ isCurrent: false });
    become({ status: "checking", isCurrent: false });
    later();
  };
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change: (next) => {
      text = next;
      changed();
    },
    give: (change) => {
      state = { ...state, surroundings: { ...state.surroundings, ...change } };
      changed();
    },
    checkNow: () => void check(),
    stop: () => {
      clearTimeout(timer);
      become({ status: "stopped", doing: undefined });
      end("The check was stopped.");
    },
    ask: async <Kind extends Asked>(request: Extract<CheckRequest, { readonly kind: Kind }>) =>
      (await send(request)) as CheckAnswers[Kind],
    close: () => {
      clearTimeout(timer);
      end("The page was left.");
    },
  };
}
