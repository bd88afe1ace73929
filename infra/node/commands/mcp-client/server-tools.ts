import type { Tool } from "@modelcontextprotocol/client";
import { valueAt } from "../../../../lib/config/path.ts";
import { firstSentence } from "../../../../lib/openapi/summary.ts";
import type { Flags } from "../../flags.ts";
import type { CommandIo } from "../../io.ts";
import { counted } from "../catalog-summary.ts";
import { jsonLine, withBoldHeader } from "../listed.ts";
import { schemaText } from "../tools/schema-text.ts";
import { printable, printableLine, table } from "../tools/table.ts";
import { findServerTool } from "./find-tool.ts";
import { withServer } from "./server.ts";
import type { SERVER_FLAGS } from "./server-flags.ts";

type Given = Flags<typeof SERVER_FLAGS> & { readonly tool?: string; readonly json?: boolean; readonly jsonl?: boolean };

/** The tools that an MCP server has for whoever asks, or one in full. */
export async function showServerTools(flags: Given, io: CommandIo): Promise<number> {
  const { tool: name, json, jsonl } = flags;
  if (name !== undefined) {
    const tool = await withServer(flags, io, (client) => findServerTool(client, name));
    io.stdout(json || jsonl ? jsonLine(tool) : toolText(tool, io.columns));
    return 0;
  }
  const { tools } = await withServer(flags, io, (client) => client.listTools());
  if (jsonl) io.stdout(tools.map(jsonLine).join(""));
  else io.stdout(json ? jsonLine({ tools }) : withBoldHeader(listText(tools, io.columns), io));
  return 0;
}

function listText(tools: readonly Tool[], columns: number | undefined): string {
  const rows = tools.map(({ name, title, annotations, description = "" }) => [
    name,
    title ?? annotations?.title ?? "",
    firstSentence(description),
  ]);
  const listed = rows.length === 0 ? "" : `${table(["NAME", "TITLE", "DESCRIPTION"], rows, columns)}\n`;
  return `${listed}${counted(tools.length, "tool")}\n`;
}

function toolText(tool: Pick<Tool, "name" | "inputSchema"> & Partial<Tool>, columns: number | undefined): string {
  const { name, title, description, annotations, inputSchema } = tool;
  const heading = [name, title ?? annotations?.title, description].filter((part) => part !== undefined);
  const hints = Object.entries(annotations ?? {}).filter(([hint]) => hint !== "title");
  const told = hints.map(([hint, value]) => (value === true ? hint : `${hint}: ${value}`));
  const rows = [
    `ANNOTATIONS    ${told.length === 0 ? "none" : printableLine(told.join(", "))}\n`,
    `OUTPUT SCHEMA  ${tool.outputSchema === undefined ? "no" : "yes"}\n`,
  ];
  return `${heading.map((part) => `${printable(part).trim()}\n\n`).join("")}${rows.join("")}\n${argumentsText(inputSchema, columns)}`;
}

/** Members of types that are told one by one. */
const SOME = 6;

function argumentsText(schema: unknown, columns: number | undefined): string {
  const required = [valueAt(schema, ["required"]) ?? []].flat();
  const rows = Object.entries(Object(valueAt(schema, ["properties"]))).map(([name, property]) => [
    name,
    schemaText(property, valueAt(schema, ["$defs"]), SOME),
    required.includes(name) ? "yes" : "",
    firstSentence(String(valueAt(property, ["description"]) ?? "")),
  ]);
  return rows.length === 0 ? "No arguments.\n" : table(["ARGUMENT", "TYPE", "REQUIRED", "DESCRIPTION"], rows, columns);
}
