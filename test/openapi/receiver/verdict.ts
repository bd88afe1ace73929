import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import type { BridgeTool } from "../../../lib/openapi/catalog.ts";
import { type Exception, exceptionOf } from "../exceptions.ts";
import type { DeclaredParameter, OperationDocument } from "./operation-document.ts";
import { readParameter } from "./own-reading.ts";
import { isJson } from "./read-body.ts";
import { isNothing, sameText } from "./same-values.ts";
import type { Arrival } from "./validator-app.ts";

export interface Verdict {
  /** What is wrong with the request; empty: it is what the document says, with the values that were sent. */
  readonly problems: readonly string[];
  /** What of it the receiver had to read by itself. */
  readonly exceptions: readonly Exception[];
}

/** Judges what arrived by the document and by the arguments that were given. */
export function verdictOn(
  operation: OperationDocument,
  tool: BridgeTool,
  given: JsonObject,
  arrival: Arrival,
): Verdict {
  const sent = sentParameters(operation, tool, given);
  const problems = [
    ...(arrival.objection === undefined ? [] : [`refused: ${arrival.objection}`]),
    ...sent.unknown.map((argument) => `${argument} has no place in the request`),
    ...sent.parameters.flatMap((one) => parameterProblem(operation, one, arrival)),
    ...unsent(
      operation,
      sent.parameters.map(({ parameter }) => parameter),
      arrival,
    ),
    ...bodyProblem(tool, given, arrival),
  ];
  const exceptions = [
    ...sent.parameters.flatMap(({ parameter }) => exceptionOf(operation, parameter) ?? []),
    ...operation.exceptions,
  ];
  return { problems, exceptions: [...new Set(exceptions)] };
}

interface Sent {
  readonly parameter: DeclaredParameter;
  readonly value: unknown;
}

function sentParameters({ parameters }: OperationDocument, { request }: BridgeTool, given: JsonObject) {
  const inBody = request.body === undefined ? [] : bodyArguments(request, given);
  const found: Sent[] = [];
  const unknown: string[] = [];
  for (const [argument, value] of Object.entries(given)) {
    const place = request.parameters.find((one) => one.argument === argument);
    const parameter = place && parameters.find((one) => one.in === place.in && one.name === place.name);
    if (parameter !== undefined) found.push({ parameter, value });
    else if (!inBody.includes(argument)) unknown.push(argument);
  }
  return { parameters: found, unknown };
}

function parameterProblem(
  operation: OperationDocument,
  { parameter, value }: Sent,
  arrival: Arrival,
): readonly string[] {
  const { name, in: location } = parameter;
  const exception = exceptionOf(operation, parameter);
  const read =
    exception !== undefined ? readParameter(parameter, operation.path, arrival, value) : valueIn(arrival, parameter);
  const isSame =
    parameter.definition.content === undefined
      ? sameText(value, withOnly(value, read))
      : isDeepStrictEqual(value, read);
  if (isSame || (exception === "nested values" && read !== undefined)) return [];
  return [`${location} ${name}: sent ${JSON.stringify(value)}, read ${JSON.stringify(read)} from ${arrival.url}`];
}

function valueIn(
  { query, path, headers, cookies }: Arrival,
  { name, in: location, style, explode, definition }: DeclaredParameter,
): unknown {
  if (location === "path") return path[name];
  if (location === "header") return headers[name.toLowerCase()];
  if (location === "cookie") return cookies[name];
  const isOpenForm = style === "form" && explode && definition.content === undefined && query[name] === undefined;
  return isOpenForm ? query : query[name];
}

/** Members of an exploded object stand among the other parameters. */
function withOnly(value: unknown, read: unknown): unknown {
  const isObject = (one: unknown): one is JsonObject => typeof one === "object" && one !== null && !Array.isArray(one);
  if (!isObject(value) || !isObject(read)) return read;
  return Object.fromEntries(Object.keys(value).map((name) => [name, read[name]]));
}

/** Parameters that arrived though nobody sent them. */
function unsent(
  { parameters }: OperationDocument,
  sent: readonly DeclaredParameter[],
  arrival: Arrival,
): readonly string[] {
  return parameters
    .filter((parameter) => !sent.includes(parameter) && parameter.in !== "path")
    .filter(
      (parameter) =>
        parameter.in !== "query" || parameter.style !== "form" || arrival.query[parameter.name] !== undefined,
    )
    .filter((parameter) => !isNothing(valueIn(arrival, { ...parameter, explode: false })))
    .map(({ name, in: location }) => `${location} ${name}: arrived, but was not sent`);
}

function bodyProblem({ request }: BridgeTool, given: JsonObject, arrival: Arrival): readonly string[] {
  const sent = request.body && bodyOf(request, given);
  const { value, bytes, contentType } = arrival;
  if (sent === undefined) return value === undefined ? [] : [`a body arrived: ${brief(value)}`];
  // A text or a file of no length is no body.
  if (value === undefined && !isJson(contentType) && bytesOf(sent).length === 0) return [];
  const isSame = isJson(contentType)
    ? isDeepStrictEqual(sent, value)
    : bytes === undefined
      ? sameText(asRead(sent), value)
      : bytes.equals(bytesOf(sent));
  return isSame ? [] : [`${contentType} body: sent ${brief(sent)}, arrived ${brief(value)}`];
}

/** Files as they are read: in base64. */
function asRead(sent: unknown): unknown {
  if (Array.isArray(sent)) return sent.map(asRead);
  if (!isJsonObject(sent)) return sent;
  if (isFile(sent)) return bytesOf(sent).toString("base64");
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, asRead(value)]));
}

/** What tools take for a file: base64 or a text. */
function isFile(value: JsonObject): boolean {
  const isGiven = typeof value.data === "string" || typeof value.text === "string";
  return isGiven && Object.keys(value).every((name) => ["data", "text", "filename", "contentType"].includes(name));
}

function bytesOf(sent: unknown): Buffer {
  if (isJsonObject(sent) && typeof sent.data === "string") return Buffer.from(sent.data, "base64");
  return Buffer.from(isJsonObject(sent) && typeof sent.text === "string" ? sent.text : String(sent), "utf8");
}

function bodyOf(request: BridgeTool["request"], given: JsonObject): unknown {
  const { argument, required, names = {} } = request.body ?? {};
  if (argument !== undefined) return given[argument];
  const members = bodyArguments(request, given);
  if (members.length === 0 && !required) return undefined;
  return Object.fromEntries(members.map((argument) => [names[argument] ?? argument, given[argument]]));
}

/** Arguments that are no parameters are the body's, or properties of it. */
function bodyArguments({ body, parameters }: BridgeTool["request"], given: JsonObject): readonly string[] {
  if (body?.argument !== undefined) return [body.argument];
  return Object.keys(given).filter((argument) => !parameters.some((parameter) => parameter.argument === argument));
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 400 ? text : `${text.slice(0, 400)}…`;
}
