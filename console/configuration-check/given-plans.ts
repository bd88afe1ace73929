import type { RegoCompiler } from "../../lib/config/policy-plans.ts";
import { isJsonObject, type JsonObject } from "../../lib/kernel/json.ts";
import type { NamedDocuments } from "./named-documents.ts";

/** Policies in Rego where OPA's command is not: plans and data as JSON, which the person gives. */
export function givenPlans({ read }: NamedDocuments): RegoCompiler {
  const refuse = () => Promise.reject(new Error(NO_COMMAND));
  const json = async (path: string): Promise<unknown> => {
    const answer = await read(path.startsWith("file://") ? path : `file://${path}`);
    return parse(typeof answer === "string" ? answer : answer.text);
  };
  return {
    module: refuse,
    file: refuse,
    bundle: async (path) => ({ plan: await json(path), data: {}, modules: [] }),
    data: async (path) => object(await json(path)),
  };
}

const NO_COMMAND =
  "needs OPA's command to compile Rego, which a browser does not have; write plan: and add the plan.json of what " +
  "`opa build --target plan --entrypoint orchestrator/result policy.rego` wrote, or use `countersign publish`";

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error("is no JSON; a browser reads the plan.json of a bundle, not the bundle", { cause });
  }
}

function object(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error("is no JSON object; accepted: one whose members are the documents below data");
}
