import { valueAt } from "../../../../lib/config/path.ts";
import { inboundScopes, toolPattern } from "../../../../lib/config/tool-names.ts";

/** What decides on a call of a tool, as it stands in the configuration; null where a placeholder is. */
export interface ToolAccess {
  readonly scopes: readonly (string | null)[];
  /** The app has entries for scopes, and none names the tool: nobody may call it. */
  readonly denied?: true;
  /** Names of the policies that are asked, in their order. */
  readonly policies: readonly string[];
  /** The sign-in that it takes; absent: any. */
  readonly stepUp?: { readonly acr?: readonly (string | null)[]; readonly maxAge?: string | null };
}

/** What decides on calls of this tool of an app of the plain document. */
export function toolAccess(app: unknown, localName: string): ToolAccess {
  const inbound = valueAt(app, ["authorization", "inbound"]);
  const stepUp = entries(valueAt(inbound, ["stepUp"])).find((entry) =>
    entries(valueAt(entry, ["tools"])).some((name) => matches(name, localName)),
  );
  const scopes = inboundScopes(app, localName);
  return {
    scopes: scopes ?? [],
    ...(scopes === undefined && { denied: true }),
    policies: policyNames(inbound),
    ...(stepUp !== undefined && { stepUp: signIn(stepUp) }),
  };
}

/** As logs and `countersign explain` name them: by the policy's own name, else by its place. */
function policyNames(inbound: unknown): readonly string[] {
  const rules = entries(valueAt(inbound, ["rules"]));
  return [namesIn(inbound, ""), ...rules.map((rule, index) => namesIn(rule, `rules[${index}].`))].flat();
}

function namesIn(rule: unknown, place: string): string[] {
  const [cel, opa, authzen] = ["cel", "opa", "authzen"].map((key) => valueAt(rule, [key]));
  const named = (policy: unknown, key: string) => {
    const name = valueAt(policy, ["name"]);
    return typeof name === "string" ? name : place + key;
  };
  return [
    ...(cel === undefined ? [] : [`${place}cel`]),
    ...(opa === undefined ? [] : [named(opa, "opa")]),
    ...(authzen === undefined ? [] : [named(authzen, "authzen")]),
  ];
}

function signIn(entry: unknown): NonNullable<ToolAccess["stepUp"]> {
  const [acr, maxAge] = [valueAt(entry, ["acr"]), valueAt(entry, ["maxAge"])];
  return {
    ...(acr !== undefined && { acr: (Array.isArray(acr) ? acr : [acr]) as readonly (string | null)[] }),
    ...(maxAge !== undefined && { maxAge: maxAge as string | null }),
  };
}

export function entries(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A name that a placeholder stands for is not known here. */
export function matches(name: unknown, localName: string): boolean {
  return typeof name === "string" && toolPattern(name)(localName);
}
