import type { JsonObject } from "../../kernel/json.ts";
import { decisionOf } from "../document-decision.ts";
import { type Decision, failed, type Policy, type PolicyInput } from "../policy.ts";
import type { EvaluationError } from "./budget.ts";
import { checksSignatures } from "./builtins/signatures.ts";
import { type Evaluation, evaluate, evaluateAsync, type PreparedPlan, prepareData, preparePlan } from "./evaluate.ts";
import { PlanError } from "./plan.ts";
import { RegoObject, type Value } from "./value.ts";

export interface RegoOptions {
  readonly name: string;
  /** `plan.json` as `opa build -t plan` writes it, parsed. */
  readonly plan: unknown;
  /** Absent: the only one of the plan; of several `orchestrator/result`. */
  readonly entrypoint?: string;
  /** What the policy reads below `data`, as `data.json` in a bundle. */
  readonly data?: JsonObject;
  /** The policy is shown the caller's `Authorization` header. */
  readonly forwardToken: boolean;
  readonly list: boolean;
  /**
   * What becomes of a decision that could not read the caller's token as a JWT, of a policy that decodes some: `deny`, unless
   * the operator knows that the policy means it.
   */
  readonly opaqueTokens?: "deny" | "evaluate";
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Is given what `print` and `trace` say. */
  readonly print?: (message: string) => void;
}

const DEFAULT_ENTRYPOINT = "orchestrator/result";

/**
 * A policy in Rego that is evaluated in process, from the plan that OPA's compiler made of it (D224). It decides as a policy
 * on an OPA server does (`opa.ts`): what is undefined, malformed, in error or over its budget denies. One that checks signatures by public
 * keys has to wait for WebCrypto, so it is asked as remote ones are.
 *
 * @throws PlanError that names what is wrong or not served, and where
 */
export function createRegoPolicy(options: RegoOptions): Policy {
  const { name, list, forwardToken, now = Date.now, print } = options;
  const prepared = preparePlan(options.plan);
  const entrypoint = entrypointOf(prepared, options.entrypoint);
  const data = prepareData(options.data ?? {});
  // A rule whose decode is undefined must not leave a default that allows.
  const needsJwt = forwardToken && options.opaqueTokens !== "evaluate" && decodesTokens(prepared);
  const isOpaque = (input: PolicyInput) => needsJwt && !isJwt(input.request.http.headers?.Authorization);
  const evaluationOptions = () => ({ entrypoint, now: now(), ...(print && { print }) });
  const common = { name, decidesOnListing: list, seesToken: forwardToken };
  if (!prepared.builtins.some(checksSignatures)) {
    return {
      ...common,
      cost: "local",
      readsCallerAlone: false,
      decide: (input) => {
        try {
          if (isOpaque(input)) return OPAQUE;
          return decisionBy(evaluate(prepared, inputOf(input, forwardToken), data, evaluationOptions()));
        } catch {
          // A defect of ours denies like any other failure; the message may hold an argument.
          return DEFECT;
        }
      },
    };
  }
  const decide = async (input: PolicyInput) => {
    try {
      if (isOpaque(input)) return OPAQUE;
      return decisionBy(await evaluateAsync(prepared, inputOf(input, forwardToken), data, evaluationOptions()));
    } catch {
      return DEFECT;
    }
  };
  return { ...common, cost: "remote", decide, list: (input) => allowedTools(input, decide) };
}

const OPAQUE = failed("opaque_token");
const DEFECT = failed("internal_error");

/** A list is decided tool by tool, as calls without arguments, as local policies decide it. */
async function allowedTools(
  input: PolicyInput,
  decide: (input: PolicyInput) => Promise<Decision>,
): Promise<Decision | ReadonlySet<string>> {
  const { http, mcp } = input.request;
  if (mcp === undefined) return decide(input);
  const { tools = [], ...asked } = mcp;
  const allowed = new Set<string>();
  for (const tool of tools) {
    const request = { http, mcp: { ...asked, method: "tools/call", tool } };
    const decision = await decide({ ...input, request });
    if (decision.outcome === "failed") return decision;
    if (decision.outcome === "allowed") allowed.add(tool.params.name);
  }
  return allowed;
}

function decisionBy(evaluation: Evaluation): Decision {
  return "error" in evaluation ? failed(failureOf(evaluation.error)) : resultOf(evaluation.results);
}

/** Whether the plan calls a function that reads JWTs. */
function decodesTokens({ builtins }: PreparedPlan): boolean {
  return builtins.some((name) => name.startsWith("io.jwt."));
}

/** Three parts of base64url after the scheme (RFC 7515 §7.1). */
function isJwt(authorization: string | undefined): boolean {
  return /^\S+ +[\w-]+\.[\w-]+\.[\w-]*$/.test(authorization ?? "");
}

/** @throws PlanError */
function entrypointOf({ entrypoints }: PreparedPlan, asked: string | undefined): string {
  const [only] = entrypoints;
  const name = asked ?? (entrypoints.length === 1 && only !== undefined ? only : DEFAULT_ENTRYPOINT);
  if (entrypoints.includes(name)) return name;
  throw new PlanError(
    `the plan has no entrypoint "${name}"; it has ${entrypoints.map((one) => `"${one}"`).join(", ")}`,
  );
}

/** Claims by connector are for comparisons alone, and the caller's token only for who asks for it. */
function inputOf({ attributes: _, ...input }: PolicyInput, forwardToken: boolean): unknown {
  const { headers } = input.request.http;
  if (forwardToken || headers === undefined || !Object.hasOwn(headers, "Authorization")) return input;
  const { Authorization: __, ...others } = headers;
  return { ...input, request: { ...input.request, http: { ...input.request.http, headers: others } } };
}

/** The results of a plan are objects with the document by one name; none where it is undefined. */
function resultOf([first]: readonly Value[]): Decision {
  const document = first instanceof RegoObject ? first.entries()[0]?.[1] : undefined;
  if (document === undefined) return failed("undefined_decision");
  if (!(document instanceof RegoObject)) return decisionOf(document);
  return decisionOf({ allowed: document.get("allowed"), external_message: document.get("external_message") });
}

/** Never the message, which may hold an argument. */
function failureOf({ code }: EvaluationError): string {
  if (code === "budget_exceeded") return "too_many_steps";
  return code === "eval_conflict_error" ? "conflict" : "evaluation_failed";
}
