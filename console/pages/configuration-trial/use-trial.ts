import { useEffect, useState } from "react";
import type { ConfigurationDocument } from "../../../lib/management/schemas/deployment.ts";
import type { ApiClient } from "../../api/client.ts";
import { useConnection } from "../../api/context.ts";
import { ApiProblem } from "../../api/problem.ts";
import type { Checker } from "../../configuration-check/checker.ts";
import type { Loaded } from "../../configuration-trial/protocol.ts";
import { createTrial, type Trial } from "../../configuration-trial/trial.ts";

/** A draft that can be tried. */
export interface StartedTrial {
  readonly trial: Trial;
  readonly about: Loaded;
  /** `too-large`: its tools are not sent. */
  readonly inUse: "there" | "none" | "too-large";
}

/** Milliseconds: compiled documents can be some megabytes. */
const TIMEOUT = 120_000;

/** The text as it was checked last beside what is in use, in a worker that ends with the dialog. */
export function useTrial(checker: Checker): { readonly started: StartedTrial | undefined; readonly failed: unknown } {
  const { api } = useConnection();
  const [started, setStarted] = useState<StartedTrial>();
  const [failed, setFailed] = useState<unknown>();
  useEffect(() => {
    let isHere = true;
    let trial: Trial | undefined;
    const start = async () => {
      const [{ tryable }, inUse] = await Promise.all([
        checker.ask({ kind: "prepare", inUse: undefined }),
        inUseWithTools(api),
      ]);
      if (!isHere) return;
      trial = createTrial({ draft: tryable, inUse }, startWorker);
      const about = await trial.load();
      if (isHere) setStarted({ trial, about, inUse: stateOf(inUse) });
    };
    start().catch((error: unknown) => isHere && setFailed(error));
    return () => {
      isHere = false;
      trial?.stop();
    };
  }, [checker, api]);
  return { started, failed };
}

function stateOf(inUse: ConfigurationDocument | undefined): StartedTrial["inUse"] {
  if (inUse === undefined) return "none";
  return inUse.catalogs === undefined ? "too-large" : "there";
}

/** Undefined: nothing is in use. */
export async function inUseWithTools(api: ApiClient): Promise<ConfigurationDocument | undefined> {
  try {
    const request = { path: "/deployment/document", query: { tools: true }, timeout: TIMEOUT };
    return (await api.send<ConfigurationDocument>(request)).body;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return undefined;
    throw error;
  }
}

/** The build finds the worker by these very words. */
export function startWorker(): Worker {
  return new Worker(new URL("../../configuration-trial/worker.ts", import.meta.url), { type: "module" });
}
