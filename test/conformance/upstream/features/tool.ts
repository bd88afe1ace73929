import type { RequestContext } from "../context.ts";
import { isObject, type JsonObject, objectAt } from "../json-rpc.ts";
import { text } from "./content.ts";

/** A tool as it is listed, and what calling it does. */
export interface Tool {
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly call: (given: JsonObject, context: RequestContext) => JsonObject | Promise<JsonObject>;
}

export type Tools = Readonly<Record<string, Tool>>;

export const NO_ARGUMENTS = { type: "object", additionalProperties: false } as const;

/** A tool without arguments. */
export function plainTool(
  description: string,
  call: (context: RequestContext) => JsonObject | Promise<JsonObject>,
): Tool {
  return { description, inputSchema: NO_ARGUMENTS, call: (_, context) => call(context) };
}

/** A tool with one text. */
export function textTool(
  description: string,
  argument: string,
  call: (given: string, context: RequestContext) => Promise<JsonObject>,
): Tool {
  return {
    description,
    inputSchema: { type: "object", properties: { [argument]: { type: "string" } }, required: [argument] },
    call: (given, context) => call(String(given[argument]), context),
  };
}

export function said(value: string): JsonObject {
  return { content: [text(value)] };
}

/** The text of an answer to `sampling/createMessage`, which may be one block or several. */
export function sampledText({ content }: JsonObject): string {
  const block = Array.isArray(content) ? content.find(isObject) : content;
  return isObject(block) ? String(block.text) : "";
}

/** One field of what a person filled in. */
export function filledIn(answer: JsonObject | undefined, field: string): unknown {
  return answer === undefined ? undefined : objectAt(answer, "content")[field];
}
