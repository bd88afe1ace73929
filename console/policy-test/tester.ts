import type { TestAnswer, TestAnswers, TestRequest } from "./protocol.ts";

/** Evaluates policies in a worker of its own, so that the page never waits and anything can be stopped. */
export interface Tester {
  readonly ask: <Kind extends TestRequest["kind"]>(
    request: Extract<TestRequest, { readonly kind: Kind }>,
  ) => Promise<TestAnswers[Kind]>;
  /** Ends what is under way, which then rejects; the next question starts again. */
  readonly stop: () => void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** @param startWorker the worker of `worker.ts` */
export function createTester(startWorker: () => Worker): Tester {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;
  const end = (error: Error) => {
    worker?.terminate();
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const started = startWorker();
    started.addEventListener("message", ({ data }: MessageEvent<TestAnswer>) => {
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      if ("failed" in data) asked?.reject(new Error(data.failed));
      else asked?.resolve(data.result);
    });
    started.addEventListener("error", ({ message }) => {
      end(new Error(message || "The part of the page that evaluates policies did not load."));
    });
    return started;
  };
  return {
    ask: <Kind extends TestRequest["kind"]>(request: Extract<TestRequest, { readonly kind: Kind }>) => {
      worker ??= start();
      lastId += 1;
      const id = lastId;
      return new Promise<TestAnswers[Kind]>((resolve, reject) => {
        waiting.set(id, { resolve: (result) => resolve(result as TestAnswers[Kind]), reject });
        worker?.postMessage({ ...request, id });
      });
    },
    stop: () => end(new Error("It was stopped.")),
  };
}
