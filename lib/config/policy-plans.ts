import type { JsonObject } from "../kernel/json.ts";
import { type Path, placesOf, valueAt } from "./path.ts";
import type { Problem } from "./rules/rule.ts";

/** What a Rego policy is decided by: OPA's plan, and the documents that it reads beside the input. */
export interface CompiledPolicy {
  /** As `opa build -t plan` writes it. */
  readonly plan: unknown;
  readonly data: JsonObject;
  /** Which of the two traps of `warnings/rego.ts` its modules walk into. */
  readonly traps: readonly RegoTrap[];
}

/** `authorization`: it reads the caller's header. `scope-text`: it looks for a scope as a part of a text. */
export type RegoTrap = "authorization" | "scope-text";

/** The compiled policies of an app, by the place below the app that names them: `rules[0].opa`. */
export type AppPolicies = Readonly<Record<string, CompiledPolicy>>;

/** What OPA's own command makes of modules, and what it made before. All reject with a message for people. */
export interface RegoCompiler {
  /** @param entrypoint for example `orchestrator/result` */
  module(text: string, entrypoint: string): Promise<RegoBundle>;
  file(path: string, entrypoint: string): Promise<RegoBundle>;
  /** A bundle that `opa build -t plan` wrote. */
  bundle(path: string): Promise<RegoBundle>;
  /** A JSON document. */
  data(path: string): Promise<JsonObject>;
}

export interface RegoBundle {
  readonly plan: unknown;
  readonly data: JsonObject;
  readonly modules: readonly string[];
}

/** Where policies by OPA stand, by the kind of the app, and what of the place their name leaves out. */
export const OPA_PLACES: readonly {
  readonly type: "web" | "mcp";
  readonly pattern: Path;
  readonly name: (path: Path) => string;
}[] = [
  { type: "mcp", pattern: ["authorization", "inbound", "opa"], name: () => "opa" },
  {
    type: "mcp",
    pattern: ["authorization", "inbound", "rules", "*", "opa"],
    name: (path) => `rules[${String(path[3])}].opa`,
  },
  {
    type: "web",
    pattern: ["policies", "*", "authorization", "opa"],
    name: (path) => `policies[${String(path[1])}].opa`,
  },
];

const DEFAULT_ENTRYPOINT = "orchestrator/result";

export interface CompiledPolicies {
  /** By app name. */
  readonly policies: Readonly<Record<string, AppPolicies>>;
  readonly problems: readonly Problem[];
}

/**
 * Compiles every policy in Rego of the document to a plan, which is the same on every runtime.
 *
 * @param compiler absent: nothing here can compile, which is a mistake of each such policy
 * @param check throws with a message where a plan asks for what is not served
 * @param before what was compiled before, for a policy that cannot be compiled here
 */
export async function compilePolicies(
  document: unknown,
  compiler: RegoCompiler | undefined,
  check: (plan: unknown, entrypoint: string | undefined) => void,
  before: (app: unknown, written: unknown) => CompiledPolicy | undefined = () => undefined,
): Promise<CompiledPolicies> {
  const policies: Record<string, Record<string, CompiledPolicy>> = {};
  const problems: Problem[] = [];
  const apps = valueAt(document, ["apps"]);
  for (const [index, app] of (Array.isArray(apps) ? apps : []).entries()) {
    const name = valueAt(app, ["name"]);
    const type = valueAt(app, ["type"]) === "proxy" ? "web" : "mcp";
    if (typeof name !== "string") continue;
    for (const place of OPA_PLACES.filter((one) => one.type === type)) {
      for (const path of placesOf(app, place.pattern)) {
        const made = await compilePolicy(valueAt(app, path), compiler, check);
        if (made === undefined) continue;
        const compiled = "message" in made ? (before(app, valueAt(app, path)) ?? made) : made;
        if ("message" in compiled) {
          problems.push({ path: ["apps", index, ...path, compiled.key], message: compiled.message });
          continue;
        }
        policies[name] = { ...policies[name], [place.name(path)]: compiled };
      }
    }
  }
  return { policies, problems };
}

/** Undefined: it is no policy in Rego, or none that the schema lets pass. */
async function compilePolicy(
  written: unknown,
  compiler: RegoCompiler | undefined,
  check: (plan: unknown, entrypoint: string | undefined) => void,
): Promise<CompiledPolicy | { readonly key: string; readonly message: string } | undefined> {
  const text = (key: string) => {
    const value = valueAt(written, [key]);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const placeholder = ["rego", "file", "plan", "entrypoint", "data"].find((key) => valueAt(written, [key]) === null);
  if (placeholder !== undefined) return { key: placeholder, message: PLACEHOLDER };
  const [rego, file, plan] = [text("rego"), text("file"), text("plan")];
  const key = rego !== undefined ? "rego" : file !== undefined ? "file" : "plan";
  if ((rego ?? file ?? plan) === undefined) return undefined;
  if (compiler === undefined) return { key, message: NOWHERE };
  const entrypoint = text("entrypoint") ?? DEFAULT_ENTRYPOINT;
  try {
    const bundle = await bundleOf({ rego, file, plan }, entrypoint, compiler);
    if (bundle === undefined) return undefined;
    check(bundle.plan, text("entrypoint"));
    const beside = text("data");
    const data = beside === undefined ? bundle.data : merged(bundle.data, await compiler.data(beside));
    return { plan: bundle.plan, data, traps: trapsOf(bundle.modules) };
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    return { key, message: cause.message };
  }
}

const PLACEHOLDER = "found a placeholder; accepted: a value that is known when the configuration is read";

const NOWHERE =
  "Rego can be compiled where files can be read, by the commands of Node; write `url` or an expression here";

type Sources = Readonly<Record<"rego" | "file" | "plan", string | undefined>>;

async function bundleOf({ rego, file, plan }: Sources, entrypoint: string, compiler: RegoCompiler) {
  if (rego !== undefined) return compiler.module(rego, entrypoint);
  if (file !== undefined) return compiler.file(file, entrypoint);
  return plan === undefined ? undefined : compiler.bundle(plan);
}

/** The operator's own document wins over that of the bundle, member by member of the top. */
function merged(ofBundle: JsonObject, beside: JsonObject): JsonObject {
  return { ...ofBundle, ...beside };
}

/** Comments and texts are looked at as well: a warning too many is read, one too few is a hole. */
function trapsOf(modules: readonly string[]): readonly RegoTrap[] {
  const all = modules.join("\n");
  return [
    ...(/\bAuthorization\b/.test(all) ? (["authorization"] as const) : []),
    ...(/\bcontains\(\s*[^(),]*\bscopes?\b[^(),]*,/.test(all) ? (["scope-text"] as const) : []),
  ];
}

/** Those of one app; none where the artifact has none. */
export function compiledOf(app: string, policies: Readonly<Record<string, AppPolicies>>): AppPolicies {
  return (Object.hasOwn(policies, app) ? policies[app] : undefined) ?? {};
}
