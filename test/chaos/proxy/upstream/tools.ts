import { setTimeout as pause } from "node:timers/promises";
import { longText, type Said, TOOLS, type ToolArguments } from "./texts.ts";

export const TOOL_LIST = TOOLS.map((name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: {
    type: "object",
    properties: { nonce: { type: "string" }, label: { type: "string" } },
    required: ["nonce", "label"],
  },
}));

export const RESOURCE_LIST = [{ uri: "note://all", name: "all notes" }];

/** Milliseconds between two steps of what is slow. */
const STEP = 40;
const STEPS = 5;

/** Tells how far a call is. */
export type Progress = (done: number, total: number) => void;

/** Takes its time, and tells of it. */
export async function beSlow(progress: Progress): Promise<void> {
  for (let step = 1; step <= STEPS; step++) {
    await pause(STEP);
    progress(step, STEPS);
  }
}

/** The result of a tool; undefined: there is none of this name. */
export function toolResult(said: Said, { nonce }: ToolArguments): object | undefined {
  if (!(TOOLS as readonly string[]).includes(said.what)) return undefined;
  const isLong = said.what === "big" || said.what === "half";
  const texts = [JSON.stringify(said), ...(isLong ? [longText(nonce)] : [])];
  return { content: texts.map((text) => ({ type: "text", text })), isError: said.what === "grumble" };
}

export function readResult(said: Said, uri: string): object {
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(said) }] };
}
