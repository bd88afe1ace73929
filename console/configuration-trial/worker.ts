import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { compareAccess } from "./compare.ts";
import { type Tryable, tryable } from "./configurations.ts";
import { explainWith } from "./explain.ts";
import { type LoadedSubject, load } from "./load.ts";
import type { Both, TrialAnswer, TrialAnswers, TrialRequest, Variables } from "./protocol.ts";

let loaded: LoadedSubject | undefined;
/** Of the variables that were given last. */
let latest: { readonly key: string; readonly both: Both<Tryable> } | undefined;

addEventListener("message", ({ data: { id, ...request } }: MessageEvent<TrialRequest & { readonly id: number }>) => {
  const send = (answer: TrialAnswer) => postMessage(answer);
  answerTo(request, (done) => send({ id, done })).then(
    (result) => send({ id, result }),
    (error: unknown) => send({ id, failed: error instanceof Error ? error.message : String(error) }),
  );
});

async function answerTo(
  request: TrialRequest,
  announce: (done: number) => void,
): Promise<TrialAnswers[TrialRequest["kind"]]> {
  switch (request.kind) {
    case "load":
      loaded = load(request.subject);
      latest = undefined;
      return loaded.about;
    case "explain": {
      const { draft, inUse } = await bothWith(request.variables);
      return {
        draft: await explainWith(draft, request.call, systemClock),
        inUse: inUse && (await explainWith(inUse, request.call, systemClock)),
      };
    }
    case "compare":
      return compareAccess(await bothWith(request.variables), request, systemClock, announce);
  }
}

async function bothWith(variables: Variables): Promise<Both<Tryable>> {
  if (loaded === undefined) throw new Error("No configuration was given.");
  const key = JSON.stringify(variables);
  if (latest?.key === key) return latest.both;
  const artifacts: Both<ConfigurationArtifact> = loaded.artifacts;
  const both = {
    draft: await tryable(artifacts.draft, variables),
    inUse: artifacts.inUse && (await tryable(artifacts.inUse, variables)),
  };
  latest = { key, both };
  return both;
}
