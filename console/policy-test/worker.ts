import { compareRecords, tryInput } from "./compare.ts";
import { evaluatorOf } from "./evaluate.ts";
import { appsInUse } from "./in-use.ts";
import type { TestAnswer, TestAnswers, TestRequest } from "./protocol.ts";

addEventListener("message", ({ data: { id, ...request } }: MessageEvent<TestRequest & { readonly id: number }>) => {
  const send = (answer: TestAnswer) => postMessage(answer);
  answerTo(request).then(
    (result) => send({ id, result }),
    (error: unknown) => send({ id, failed: error instanceof Error ? error.message : String(error) }),
  );
});

async function answerTo(request: TestRequest): Promise<TestAnswers[TestRequest["kind"]]> {
  switch (request.kind) {
    case "list":
      return appsInUse(request.shown);
    case "check": {
      const made = evaluatorOf(request.source, "written");
      return "mistake" in made ? made.mistake : undefined;
    }
    case "try":
      return tryInput(request.policies, request.input, request.time);
    case "compare":
      return compareRecords(request.policies, request.records, request.surroundings);
  }
}
