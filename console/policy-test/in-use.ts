import { valueAt } from "../../lib/config/path.ts";
import { type AppPolicies, compiledOf } from "../../lib/config/policy-plans.ts";
import type { ConfigurationDocument } from "../../lib/management/schemas/deployment.ts";
import type { PolicyInUse, PolicySource, TestedApp } from "./protocol.ts";

/** The policies of the gateway's apps, in the order in which they are asked. */
export function appsInUse({ document, policies }: ConfigurationDocument): readonly TestedApp[] {
  const apps = listAt(document, ["apps"]).filter((app) =>
    ["mcpBridge", "mcpProxy"].includes(String(valueAt(app, ["type"]))),
  );
  const compiled = policies as Readonly<Record<string, AppPolicies>> | undefined;
  return apps.map((app) => {
    const name = String(valueAt(app, ["name"]));
    const inbound = valueAt(app, INBOUND);
    const rules = listAt(inbound, ["rules"]);
    const places = [
      { written: inbound, prefix: "", path: INBOUND },
      ...rules.map((written, index) => ({ written, prefix: `rules[${index}].`, path: [...INBOUND, "rules", index] })),
    ];
    const of = { app: name, compiled: compiled && compiledOf(name, compiled) };
    return {
      name,
      policies: places.flatMap((place) => [...celAt(place, of), ...regoAt(place, of)]),
      remote: places.flatMap(remoteAt),
    };
  });
}

const INBOUND = ["authorization", "inbound"] as const;

interface Place {
  readonly written: unknown;
  readonly prefix: string;
  readonly path: readonly (string | number)[];
}

interface Of {
  readonly app: string;
  /** Absent: it is not sent. */
  readonly compiled: AppPolicies | undefined;
}

function celAt({ written, prefix, path }: Place, { app }: Of): readonly PolicyInUse[] {
  const text = valueAt(written, ["cel"]);
  if (typeof text !== "string") return [];
  const place = `${prefix}cel`;
  const source: PolicySource = { language: "cel", text };
  return [{ app, place, name: place, language: "cel", text, path: [...path, "cel"], source }];
}

function regoAt({ written, prefix, path }: Place, { app, compiled }: Of): readonly PolicyInUse[] {
  const opa = valueAt(written, ["opa"]);
  if (opa === undefined || valueAt(opa, ["url"]) !== undefined) return [];
  const place = `${prefix}opa`;
  const text = textAt(opa, "rego");
  const entrypoint = textAt(opa, "entrypoint");
  const made = compiled !== undefined && Object.hasOwn(compiled, place) ? compiled[place] : undefined;
  const source: PolicySource | undefined = made && {
    ...{ language: "rego", plan: made.plan, data: made.data, list: valueAt(opa, ["list"]) === true },
    forwardToken: valueAt(opa, ["forwardToken"]) === true,
    ...(valueAt(opa, ["opaqueTokens"]) === "evaluate" && { opaqueTokens: "evaluate" }),
    ...(entrypoint !== undefined && { entrypoint }),
  };
  return [
    {
      ...{ app, place, name: textAt(opa, "name") ?? place, language: "rego", path: [...path, "opa", "rego"] },
      ...(text !== undefined && { text }),
      ...(source !== undefined && { source }),
    },
  ];
}

function remoteAt({ written, prefix }: Place): readonly string[] {
  const opa = valueAt(written, ["opa"]);
  const authzen = valueAt(written, ["authzen"]);
  return [
    ...(valueAt(opa, ["url"]) === undefined ? [] : [textAt(opa, "name") ?? `${prefix}opa`]),
    ...(authzen === undefined ? [] : [textAt(authzen, "name") ?? `${prefix}authzen`]),
  ];
}

function textAt(value: unknown, key: string): string | undefined {
  const text = valueAt(value, [key]);
  return typeof text === "string" ? text : undefined;
}

function listAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list : [];
}
