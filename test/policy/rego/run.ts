import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { regoCompiler } from "../../../infra/node/files/rego-compiler.ts";
import { createRegoPolicy } from "../../../lib/policy/rego/policy.ts";
import { policyInput } from "../input.ts";

/**
 * What needs OPA's own command, as a step of its own: modules are compiled by it, and it says of random inputs what ours say. `SVC_OPA` or
 * the PATH has it, or Go's own folder: `go install github.com/open-policy-agent/opa@v1.22.3`. Without it the step says so, and passes.
 */
const EXAMPLES = join(import.meta.dirname, "../../../examples/policies");
const opa = found();
if (opa === undefined) {
  console.log("OPA not run: its command is missing; set SVC_OPA, or make it with go install.");
  console.log("0 passed, 0 failed");
} else {
  const failures = [...(await compiled(opa)), ...compared(opa)];
  for (const failure of failures) console.log(`not as expected: ${failure}`);
  console.log(`${6 - failures.length} passed, ${failures.length} failed`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

function found(): string | undefined {
  const ofGo = spawnSync("go", ["env", "GOPATH"], { encoding: "utf8" }).stdout?.trim();
  const candidates = [process.env.SVC_OPA, "opa", ofGo && join(ofGo, "bin/opa")];
  return candidates.find((one) => one !== undefined && one !== "" && spawnSync(one, ["version"]).status === 0);
}

async function compiled(command: string): Promise<readonly string[]> {
  const compiler = regoCompiler(EXAMPLES, { ...process.env, SVC_OPA: command });
  const text = readFileSync(join(EXAMPLES, "payments.rego"), "utf8");
  const ofFile = await compiler.file("payments.rego", "orchestrator/result");
  const ofText = await compiler.module(text, "orchestrator/result");
  const refusal = await compiler.module("package orchestrator\nresult := x", "orchestrator/result").catch(String);
  const entrypoint = await compiler.module(text, "orchestrator/nothing").catch(String);
  const policy = createRegoPolicy({ name: "a", ...ofFile, forwardToken: false, list: false });
  const decided = await policy.decide(policyInput());
  const checks: readonly (readonly [string, boolean])[] = [
    [
      "a module as text has the plan of the file",
      isDeepStrictEqual(withoutPlaces(ofText.plan), withoutPlaces(ofFile.plan)),
    ],
    ["the plan of a module decides", decided.outcome === "denied"],
    ["the modules are told", ofFile.modules.some((module) => module.includes("within_limit"))],
    [
      "what OPA refuses is told with its words and no path",
      /opa build refuses: .*rego_unsafe_var_error/.test(String(refusal)) && !String(refusal).includes("/tmp"),
    ],
    ["an entrypoint that is not there is told", String(entrypoint).includes("opa build refuses")],
  ];
  return checks.flatMap(([name, holds]) => (holds ? [] : [name]));
}

/** Positions have the names of files. */
function withoutPlaces(plan: unknown): unknown {
  return { ...(plan as object), static: undefined };
}

function compared(command: string): readonly string[] {
  const args = [
    join(import.meta.dirname, "against-opa.ts"),
    "-opa",
    command,
    "-inputs",
    process.env.COUNTERSIGN_CASES ?? "12000",
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  console.log(stdout.trim().split("\n").slice(-1).join("\n"), stderr.trim());
  return status === 0 ? [] : [`random inputs: ${stdout}`];
}
