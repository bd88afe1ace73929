import { isJsonObject, type JsonObject } from "../../kernel/json.ts";

/** Of an upstream that has not said yet what it can do: whatever agents ask, it answers that itself. */
export const EVERYTHING: JsonObject = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** What several upstreams can do as one server: what any of them can. */
export function mergedCapabilities(all: readonly JsonObject[]): JsonObject {
  const [only] = all;
  if (only === undefined) return {};
  if (all.length === 1) return only;
  const names = [...new Set(all.flatMap(Object.keys))];
  const merged = names.map((name) => {
    const declared = all.map((one) => one[name]).filter((value) => value !== undefined);
    return [name, Object.hasOwn(EVERYTHING, name) ? union(declared) : withoutClashes(declared)];
  });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

/** Without what a server that can tell nothing later has no use for. */
export function withoutChanges(capabilities: JsonObject): JsonObject {
  const names = ["tools", "resources", "prompts"].filter((name) => isJsonObject(capabilities[name]));
  const changed = names.map((name) => {
    const { listChanged: _, subscribe: __, ...others } = capabilities[name] as JsonObject;
    return [name, others];
  });
  return { ...capabilities, ...Object.fromEntries(changed) };
}

/** `true` wins over whatever else; of other members the first. */
function union(declared: readonly unknown[]): JsonObject {
  const objects = declared.filter(isJsonObject);
  const entries = objects.toReversed().flatMap(Object.entries);
  const on = entries.filter(([, value]) => value === true);
  return Object.fromEntries([...entries, ...on]);
}

/** What nobody here knows: members on which all agree who declare them. Undefined where nothing is left of it. */
function withoutClashes(declared: readonly unknown[]): unknown {
  const [first] = declared;
  if (declared.every((value) => isSame(value, first))) return first;
  if (!declared.every(isJsonObject)) return undefined;
  const entries = declared.flatMap(Object.entries);
  const agreed = entries.filter(([name, value]) =>
    entries.every(([other, its]) => other !== name || isSame(its, value)),
  );
  return agreed.length === 0 ? undefined : Object.fromEntries(agreed);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What one app says of how it is used. */
interface AppInstructions {
  readonly app: string;
  readonly instructions: string | undefined;
}

/** Characters of each where there are several. */
const LENGTH = 4_000;

/** Those of the only app as they are, those of several under their names; undefined where nobody gives any. */
export function mergedInstructions(apps: readonly AppInstructions[]): string | undefined {
  const [only] = apps;
  if (apps.length === 1) return only?.instructions;
  const sections = apps.flatMap(({ app, instructions = "" }) =>
    instructions === "" ? [] : [`# ${app}\n\n${instructions.slice(0, LENGTH)}`],
  );
  return sections.length === 0 ? undefined : sections.join("\n\n");
}
