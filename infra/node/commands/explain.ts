import { readFile } from "node:fs/promises";
import { explainCall } from "../../../lib/gateway/explain/explain-call.ts";
import type { ExplainedStep } from "../../../lib/gateway/explain/explanation.ts";
import { systemClock } from "../../../lib/kernel/clock.ts";
import { type JsonObject, parseJsonObject } from "../../../lib/kernel/json.ts";
import { parseExact } from "../../../lib/upstream/wire/exact-json.ts";
import { fileErrorReason } from "../files/file-error.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { outboundFetch } from "../net/open-fetch.ts";
import { UsageError } from "../usage-error.ts";
import { wholeConfiguration } from "./embedded-store.ts";

const FLAGS = {
  config: "string",
  secretProvider: "string",
  tool: "string",
  claims: "string",
  arguments: "string",
  json: "boolean",
} as const;

/**
 * `countersign explain -config FILE -tool NAME -claims FILE [-arguments FILE] [-json]`: what the gateway would decide on a
 * call, and why. Exit 0 when it would be made, 1 when not. Policies are asked; nothing is exchanged, called or recorded.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { tool, claims, arguments: given, json, ...flags } = parseFlags(args, FLAGS);
  if (!tool) throw new UsageError("-tool is required: the name of a tool, as agents see it.");
  if (!claims)
    throw new UsageError("-claims is required: a file with the claims of the agent's token, one JSON object.");
  const configuration = await wholeConfiguration(flags, io);
  if (configuration.mcpProvider === undefined)
    throw new UsageError("The configuration has no gateway: mcpProvider is not enabled.");
  const call = {
    tool,
    claims: parsed("-claims", claims, await read(claims)),
    arguments: given ? exactly("-arguments", given, await read(given)) : {},
  };
  const dependencies = { fetch: outboundFetch(io.environment), clock: systemClock };
  const explanation = await explainCall(call, configuration, dependencies);
  const { steps, decision } = explanation;
  io.stdout(json ? `${JSON.stringify(explanation)}\n` : `${steps.map(line).join("")}${tool}: ${decision}\n`);
  return decision === "allowed" ? 0 : 1;
}

const WIDTH = "credential".length;

function line({ step, name, decision, why }: ExplainedStep): string {
  return `${step.padEnd(WIDTH)}  ${decision.padEnd("allowed".length)}  ${name === undefined ? "" : `${name}: `}${why}\n`;
}

function read(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${fileErrorReason(error)}.`);
  });
}

function parsed(flag: string, path: string, bytes: Buffer): JsonObject {
  const value = parseJsonObject(bytes);
  if (value === undefined) throw new UsageError(`${flag}: ${path} is not one JSON object.`);
  return value;
}

/** Numbers stay as they are written: some are more than a policy can read. */
function exactly(flag: string, path: string, bytes: Buffer): unknown {
  parsed(flag, path, bytes);
  return parseExact(bytes.toString());
}
