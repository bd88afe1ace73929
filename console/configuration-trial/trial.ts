import type { TrialAnswer, TrialAnswers, TrialRequest, TrialSubject } from "./protocol.ts";

type Asked = Exclude<TrialRequest, { readonly kind: "load" }>;

/** Tries a draft in a worker of its own, so that the page never waits and anything can be stopped. */
export interface Trial {
  readonly load: () => Promise<TrialAnswers["load"]>;
  /** @param announce is told how many clients were compared */
  readonly ask: <Kind extends Asked["kind"]>(
    request: Extract<Asked, { readonly kind: Kind }>,
    announce?: (done: number) => void,
  ) => Promise<TrialAnswers[Kind]>;
  /** Ends what is under way, which then rejects; the next question starts again. */
  readonly stop: () => void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly announce: ((done: number) => void) | undefined;
}

/** @param startWorker the worker of `worker.ts` */
export function createTrial(subject: TrialSubject, startWorker: () => Worker): Trial {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let loading: Promise<TrialAnswers["load"]> | undefined;
  let lastId = 0;
  const end = (error: Error) => {
    worker?.terminate();
    worker = undefined;
    loading = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const started = startWorker();
    started.addEventListener("message", ({ data }: MessageEvent<TrialAnswer>) => {
      const asked = waiting.get(data.id);
      if ("done" in data) return asked?.announce?.(data.done);
      waiting.delete(data.id);
      if ("failed" in data) asked?.reject(new Error(data.failed));
      else asked?.resolve(data.result);
    });
    started.addEventListener("error", ({ message }) => {
      end(new Error(message || "The part of the page that tries configurations did not load."));
    });
    return started;
  };
  const send = (request: TrialRequest, announce?: (done: number) => void): Promise<unknown> => {
    worker ??= start();
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject, announce });
      worker?.postMessage({ ...request, id });
    });
  };
  const load = () => {
    loading ??= send({ kind: "load", subject }) as Promise<TrialAnswers["load"]>;
    return loading;
  };
  return {
    load,
    ask: async <Kind extends Asked["kind"]>(
      request: Extract<Asked, { readonly kind: Kind }>,
      announce?: (done: number) => void,
    ) => {
      await load();
      return (await send(request, announce)) as TrialAnswers[Kind];
    },
    stop: () => end(new Error("It was stopped.")),
  };
}
