import { isJsonObject, type JsonObject } from "../../kernel/json.ts";

/** A plan cannot be served; the message says what is wrong and where, for the operator. */
export class PlanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PlanError";
  }
}

/** A part of a plan's JSON, and where it is: `funcs.funcs[2].blocks[0]`. */
export interface Part {
  readonly json: JsonObject;
  readonly at: string;
}

/** What is there of a plan (Rego IR, https://www.openpolicyagent.org/docs/ir). */
export interface PlanParts {
  readonly strings: readonly string[];
  readonly files: readonly string[];
  /** Names of the built-in functions that it declares. */
  readonly builtins: readonly string[];
  readonly functions: readonly FunctionPart[];
  readonly plans: readonly { readonly name: string; readonly blocks: readonly Part[] }[];
}

export interface FunctionPart {
  readonly name: string;
  readonly path: readonly string[] | undefined;
  readonly params: readonly number[];
  readonly result: number;
  readonly blocks: readonly Part[];
  readonly at: string;
}

/** Statements of a plan; larger ones are no policy. */
const LARGEST_LOCAL = 100_000;

/** @throws PlanError */
export function readPlan(json: unknown): PlanParts {
  if (!isJsonObject(json) || !isJsonObject(json.plans)) {
    throw new PlanError('the plan is no object with "plans": it must be what "opa build -t plan" writes as plan.json');
  }
  const root: Part = { json, at: "" };
  const constants = isJsonObject(json.static) ? child(root, "static") : { json: {}, at: "static" };
  const functions = json.funcs === undefined || json.funcs === null ? [] : listOf(child(root, "funcs"), "funcs");
  return {
    strings: listOf(constants, "strings").map((part) => textOf(part, "value")),
    files: listOf(constants, "files").map((part) => textOf(part, "value")),
    builtins: listOf(constants, "builtin_funcs").map((part) => textOf(part, "name")),
    functions: functions.map(readFunction),
    plans: listOf(child(root, "plans"), "plans").map((part) => ({
      name: textOf(part, "name"),
      blocks: listOf(part, "blocks"),
    })),
  };
}

function readFunction(part: Part): FunctionPart {
  const { json, at } = part;
  const params = json.params;
  if (!Array.isArray(params) || params.length < 2)
    throw new PlanError(`${at}.params is no list of the locals of input, data and arguments`);
  if (json.path !== undefined && !(Array.isArray(json.path) && json.path.every((name) => typeof name === "string")))
    throw new PlanError(`${at}.path is no list of texts`);
  return {
    name: textOf(part, "name"),
    path: json.path as readonly string[] | undefined,
    params: params.map((value, index) => local(value, `${at}.params[${index}]`)),
    result: localOf(part, "return"),
    blocks: listOf(part, "blocks"),
    at,
  };
}

export function child({ json, at }: Part, name: string): Part {
  const value = json[name];
  const path = at === "" ? name : `${at}.${name}`;
  if (!isJsonObject(value)) throw new PlanError(`${path} is missing or no object`);
  return { json: value, at: path };
}

/** Absent and null stand for an empty list, as Go writes it. */
export function listOf({ json, at }: Part, name: string): readonly Part[] {
  const value = json[name] ?? [];
  if (!Array.isArray(value)) throw new PlanError(`${at}.${name} is no list`);
  return value.map((entry, index) => {
    const path = `${at}.${name}[${index}]`;
    if (!isJsonObject(entry)) throw new PlanError(`${path} is no object`);
    return { json: entry, at: path };
  });
}

export function textOf({ json, at }: Part, name: string): string {
  const value = json[name];
  if (typeof value !== "string") throw new PlanError(`${at}.${name} is missing or no text`);
  return value;
}

export function integerOf({ json, at }: Part, name: string): number {
  const value = json[name];
  if (!Number.isSafeInteger(value)) throw new PlanError(`${at}.${name} is missing or no integer`);
  return value as number;
}

export function localOf({ json, at }: Part, name: string): number {
  return local(json[name], `${at}.${name}`);
}

function local(value: unknown, at: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > LARGEST_LOCAL)
    throw new PlanError(`${at} is no local variable`);
  return value as number;
}
