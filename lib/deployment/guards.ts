import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { BundleError } from "./bundle.ts";

/** What a publication takes away that the configuration before it gave: people lose their way in, or an app its protection. */
export interface Hazard {
  /** What a publisher types who means it: `no-console`, `open:APP`. */
  readonly word: string;
  /** Goes on "The bundle …". */
  readonly what: string;
}

/** It needs words that its publisher did not give. */
export class GuardedError extends BundleError {
  constructor(hazards: readonly Hazard[]) {
    const words = hazards.map(({ word }) => word).join(",");
    super(`${hazards.map(({ what }) => what).join(", and ")}. If that is meant, publish it with -force ${words}`);
    this.name = "GuardedError";
  }
}

/** @throws GuardedError unless every hazard has its word */
export function mustBeMeant(hazards: readonly Hazard[], force: readonly string[]): void {
  const missing = hazards.filter(({ word }) => !force.includes(word));
  if (missing.length > 0) throw new GuardedError(missing);
}

/**
 * The hazards of one document that follows another. A value that is filled in when an instance starts, null here, counts as harmless:
 * nobody knows it.
 *
 * @param from plain data of a document that was accepted
 */
export function hazardsOf(from: unknown, to: unknown): readonly Hazard[] {
  const [former, next] = [objectIn(from), objectIn(to)];
  const apps = new Map(appsOf(next).map((app) => [app.name, app]));
  return [
    ...lockouts(former, next),
    ...appsOf(former).flatMap((app) => {
      const after = apps.get(app.name);
      return after === undefined ? [] : appHazards(String(app.name), app, after);
    }),
  ];
}

function lockouts(former: JsonObject, next: JsonObject): readonly Hazard[] {
  const hazards: Hazard[] = [];
  const [before, after] = [valueIn(former, "console", "enabled"), valueIn(next, "console", "enabled")];
  if (isOn(before) && !isOn(after))
    hazards.push({ word: "no-console", what: "turns the Console and the management API off" });
  if (signInConnectors(former) > 0 && signInConnectors(next) === 0)
    hazards.push({ word: "no-connectors", what: "removes the last connector at which people sign in" });
  const dropped = hasOwnPolicies(former) ? droppedOverrides(former, next) : undefined;
  if (dropped !== undefined) hazards.push({ word: "no-overrides", what: dropped });
  const oauth = ["mcpProvider", "authorization", "oauth", "enabled"];
  if (
    isOn(valueIn(former, ...oauth)) &&
    isOn(valueIn(next, "mcpProvider", "enabled")) &&
    !isOn(valueIn(next, ...oauth))
  )
    hazards.push({ word: "no-oauth", what: "lets every agent in without a token (mcpProvider.authorization.oauth)" });
  return hazards;
}

function appHazards(name: string, former: JsonObject, next: JsonObject): readonly Hazard[] {
  const app = `the app ${JSON.stringify(name)}`;
  const hazards: Hazard[] = [];
  const outbound = ["authorization", "outbound", "type"];
  const [before, after] = [valueIn(former, ...outbound), valueIn(next, ...outbound)];
  const isUnprotected = after === "unprotected" && before !== undefined && before !== null && before !== after;
  const known = new Set(openLocations(former));
  const opened = openLocations(next).filter((location) => !known.has(location));
  if (isUnprotected || opened.length > 0) {
    const how = isUnprotected ? "without tokens of ours" : `without sign-in (${opened.join(", ")})`;
    hazards.push({ word: `open:${name}`, what: `opens ${app} ${how}` });
  }
  if (policiesOf(former) > 0 && policiesOf(next) === 0)
    hazards.push({ word: `no-policies:${name}`, what: `drops every policy of ${app}` });
  return hazards;
}

/** What becomes of the policies that organizations have added; undefined: nothing. */
function droppedOverrides(former: JsonObject, next: JsonObject): string | undefined {
  if (!hasOwnPolicies(next)) return "drops every policy that organizations have added (deployment.overridable)";
  const own = new Set(appsOf(former).flatMap(({ name, shared }) => (isOn(shared) ? [] : [name])));
  const shared = appsOf(next).filter((app) => app.shared === true && own.has(app.name));
  if (shared.length === 0) return undefined;
  const names = shared.map(({ name }) => JSON.stringify(name)).join(", ");
  return `shares ${names} with every organization, which drops policies that its organization has added`;
}

/** Whether organizations may add policies. */
function hasOwnPolicies(document: JsonObject): boolean {
  const overridable = valueIn(document, "deployment", "overridable");
  return Array.isArray(overridable) && overridable.includes("policies");
}

/** Locations of a web app that everybody may see. */
function openLocations(app: JsonObject): readonly string[] {
  return listIn(app, "policies").flatMap((policy) =>
    valueIn(policy, "authentication", "allowUnauthenticated") === true ? [String(policy.location)] : [],
  );
}

/** What decides on requests of an app: policies, scopes, sign-ins that tools need, approvals. */
function policiesOf(app: JsonObject): number {
  const inbound = objectIn(valueIn(app, "authorization", "inbound"));
  const lists = ["rules", "tools", "stepUp"].map((key) => listIn(inbound, key).length);
  const approvals = listIn(objectIn(app.tools), "rules").filter((rule) => rule.approval !== undefined);
  const ofWeb = listIn(app, "policies").filter(({ authorization }) => authorization !== undefined);
  return (
    ["cel", "opa", "authzen", "members"].filter((key) => inbound[key] !== undefined).length +
    lists.reduce((sum, length) => sum + length, 0) +
    approvals.length +
    ofWeb.length
  );
}

function signInConnectors(document: JsonObject): number {
  return listIn(document, "connectors").filter(({ type }) => type !== "oauth").length;
}

function appsOf(document: JsonObject): readonly JsonObject[] {
  return listIn(document, "apps").filter(({ name }) => typeof name === "string");
}

/** True, or not known before an instance starts. */
function isOn(value: unknown): boolean {
  return value === true || value === null;
}

function valueIn(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((at: unknown, key) => (isJsonObject(at) ? at[key] : undefined), value);
}

function objectIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listIn(object: JsonObject, key: string): readonly JsonObject[] {
  const list = object[key];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
