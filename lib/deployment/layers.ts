import type { ConfigurationArtifact } from "../config/artifact.ts";
import { documentJsonSchema, type JsonSchema } from "../config/json-schema.ts";
import { allOverrides, type OverrideKind, type OverrideValues } from "../config/overrides/overrides.ts";
import type { LeftOut } from "../config/overrides/with-overrides.ts";
import { type Path, pathText, valueAt } from "../config/path.ts";
import { keysAt } from "../config/redaction.ts";
import { documentSchema } from "../config/schema/document.ts";
import { schemasAt } from "../config/schema/secrecy.ts";
import { GATEWAY_SETTINGS, isAtOrBelow, settingValues } from "../config/settings/settings.ts";
import { isJsonObject } from "../kernel/json.ts";
import type { SettingsRecord } from "../stores/settings.ts";
import { shownDocument } from "./document.ts";

/** What one layer says of a key; without a value, nothing. */
export interface Layer {
  readonly layer: "default" | "file" | "organization" | "console";
  /** Whose it is. */
  readonly organizationId?: string;
  readonly value?: unknown;
  /** What of it is not in use, and why. */
  readonly leftOut?: readonly string[];
}

/** Where the value of a key comes from. */
export interface KeySource {
  readonly path: string;
  /** In their fixed order; secrets by their references. */
  readonly layers: readonly Layer[];
  /** Whose value is in use. What organizations add stands beside it. */
  readonly counts: Exclude<Layer["layer"], "organization"> | "none";
}

/** The steps of `apps[ledger].timeout`: entries of lists go by number or name. Undefined: it is no such text. */
export function parseKeyPath(text: string, document: unknown): Path | undefined {
  if (!/^[^.[\]]+(\.[^.[\]]+|\[[^[\]]+\])*$/.test(text)) return undefined;
  const path: (string | number)[] = [];
  for (const [, entry, key] of text.matchAll(/\[([^[\]]+)\]|([^.[\]]+)/g)) {
    if (entry === undefined) path.push(key as string);
    else {
      const list = valueAt(document, path);
      const named = Array.isArray(list) ? list.findIndex((one) => isJsonObject(one) && one.name === entry) : -1;
      path.push(named >= 0 ? named : Number(entry));
    }
  }
  return path;
}

/** The names of a list where a path has an entry that is neither one of these nor a number. Undefined: it has none such. */
export function namesNear(
  path: Path,
  document: unknown,
): { readonly around: Path; readonly names: readonly string[] } | undefined {
  const index = path.findIndex((step) => typeof step === "number" && !(Number.isInteger(step) && step >= 0));
  if (index < 0) return undefined;
  const around = path.slice(0, index);
  const names = listOf(valueAt(document, around)).map((one) => valueAt(one, ["name"]));
  return { around, names: names.filter((name) => typeof name === "string") };
}

/** What there is where a path leads nowhere: the keys of the nearest place around it that the schema has. Undefined: it leads somewhere. */
export function keysNear(path: Path): { readonly around: Path; readonly keys: readonly string[] } | undefined {
  if (schemasAt(documentSchema, path).length > 0) return undefined;
  const around = path.slice(
    0,
    path.findLastIndex((_, index) => schemasAt(documentSchema, path.slice(0, index)).length > 0),
  );
  return { around, keys: [...new Set(keysAt(around))] };
}

/**
 * @param record what is stored; absent: nothing is known of it
 * @param leftOut what organizations have set and does not fit the configuration
 */
export function sourceOf(
  path: Path,
  artifact: Pick<ConfigurationArtifact, "document" | "placeholders">,
  record: Pick<SettingsRecord, "values"> | undefined,
  leftOut: readonly LeftOut[] = [],
): KeySource {
  const { document } = shownDocument(artifact);
  const layers: readonly Layer[] = [
    layerOf("default", defaultAt(path)),
    layerOf("file", valueAt(document, path)),
    ...(record === undefined ? [] : organizationLayers(path, document, record, leftOut)),
    layerOf("console", record && consoleAt(path, record)),
  ];
  const counting = layers.findLast(({ layer, value }) => layer !== "organization" && value !== undefined);
  return { path: pathText(path), layers, counts: (counting?.layer as KeySource["counts"] | undefined) ?? "none" };
}

function layerOf(layer: Exclude<Layer["layer"], "organization">, value: unknown): Layer {
  return { layer, ...(value !== undefined && { value }) };
}

/** The organizations' own entries, where they may add to the key. */
function organizationLayers(
  path: Path,
  document: unknown,
  record: Pick<SettingsRecord, "values">,
  leftOut: readonly LeftOut[],
): readonly Layer[] {
  const added = addedTo(path, document);
  if (added === undefined) return [];
  return [...allOverrides(record)].flatMap(([organizationId, { values }]): readonly Layer[] => {
    const value = added.entriesOf(values);
    const unused = leftOut
      .filter((one) => one.organizationId === organizationId && one.path[0] === added.kind)
      .map((one) => `${pathText(one.path)}: ${one.message}`);
    if (value.length === 0) return [];
    return [{ layer: "organization", organizationId, value, ...(unused.length > 0 && { leftOut: unused }) }];
  });
}

interface Added {
  readonly kind: OverrideKind;
  readonly entriesOf: (values: OverrideValues) => readonly unknown[];
}

function addedTo(path: Path, document: unknown): Added | undefined {
  const text = pathText(path);
  if (text === "limits") return { kind: "limits", entriesOf: ({ limits }) => listOf(limits) };
  const app = valueAt(document, [...path.slice(0, 2), "name"]);
  const inbound = pathText([...path.slice(0, 2), "authorization", "inbound"]);
  if (path[0] !== "apps" || (!isAtOrBelow(inbound, text) && text !== `${inbound}.cel`)) return undefined;
  const isOf = (policy: unknown) => isJsonObject(policy) && policy.app === app;
  return { kind: "policies", entriesOf: ({ policies }) => listOf(policies).filter(isOf) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What the Console has set there, or of the keys below by their paths. */
function consoleAt(path: Path, { values }: Pick<SettingsRecord, "values">): unknown {
  const text = pathText(path);
  const set = settingValues(values);
  const below: Record<string, unknown> = {};
  for (const { name, path: place, alias } of GATEWAY_SETTINGS) {
    const value = set[name];
    if (value === undefined) continue;
    for (const at of [place, ...(alias === undefined ? [] : [alias])])
      if (isAtOrBelow(text, pathText(at))) return valueAt(value, path.slice(at.length));
    if (isAtOrBelow(pathText(place), text)) below[pathText(place)] = value;
  }
  return Object.keys(below).length === 0 ? undefined : below;
}

/** Of a gateway setting what holds without one, else what the schema says. */
function defaultAt(path: Path): unknown {
  const text = pathText(path);
  const setting = GATEWAY_SETTINGS.find((one) => [one.path, one.alias].some((at) => at && pathText(at) === text));
  return setting?.fallback ?? schemaAt([documentJsonSchema()], path).find((one) => one.default !== undefined)?.default;
}

function schemaAt(schemas: readonly JsonSchema[], [step, ...rest]: Path): readonly JsonSchema[] {
  const all = schemas.flatMap((schema) => [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]);
  if (step === undefined) return all;
  const next = all.flatMap(({ properties = {}, items, additionalProperties: others }) => {
    if (typeof step === "number") return items === undefined ? [] : [items];
    const found = Object.hasOwn(properties, step) ? properties[step] : typeof others === "object" ? others : undefined;
    return found === undefined ? [] : [found];
  });
  return next.length === 0 ? [] : schemaAt(next, rest);
}
