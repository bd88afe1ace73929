import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";
import { DESCRIBE_TOOLS } from "../../../../lib/config/tool-names.ts";
import { isJsonObject } from "../../../../lib/kernel/json.ts";
import { didYouMean } from "../../flags.ts";
import { UsageError } from "../../usage-error.ts";
import { printable } from "../tools/table.ts";

/**
 * A tool that the server lists. A gateway with many lists those that the others are found with: then it is asked for.
 * @throws UsageError where there is none of this name, with those that are near
 */
export async function findServerTool(
  client: Client,
  name: string,
): Promise<Pick<Tool, "name" | "inputSchema"> & Partial<Tool>> {
  const { tools } = await client.listTools();
  const listed = tools.find((tool) => tool.name === name);
  if (listed !== undefined) return listed;
  const names = tools.map((tool) => tool.name);
  if (names.includes(DESCRIBE_TOOLS)) return described(client, name);
  throw new UsageError(
    `There is no tool ${name};${didYouMean(name, names)} -url lists ${names.length} with countersign tools.`,
  );
}

async function described(client: Client, name: string): Promise<Pick<Tool, "name" | "inputSchema">> {
  const result = await client.callTool({ name: DESCRIBE_TOOLS, arguments: { names: [name] } });
  const text = textOf(result);
  if (result.isError) throw new UsageError(printable(text).trim());
  try {
    const tool: unknown = JSON.parse(text);
    if (isJsonObject(tool) && tool.name === name && isJsonObject(tool.inputSchema)) return tool as unknown as Tool;
  } catch {
    // Another server's tool of this name describes in its own way.
  }
  return { name, inputSchema: { type: "object" } };
}

/** What a tool answered, for people: texts as they are, and of anything else what it is. */
export function textOf({ content, structuredContent }: CallToolResult): string {
  const blocks = content.map((block) => {
    switch (block.type) {
      case "text":
        return block.text;
      case "resource_link":
        return `[${block.name}: ${block.uri}]`;
      case "resource":
        return "text" in block.resource ? block.resource.text : sized(block.resource.mimeType, block.resource.blob);
      default:
        return sized(block.mimeType, block.data);
    }
  });
  if (blocks.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent, null, 2);
  return blocks.join("\n");
}

function sized(type: string | undefined, base64: string): string {
  const bytes = Buffer.byteLength(base64, "base64");
  return `[${type ?? "data"}, ${bytes.toLocaleString("en-US")} bytes: -json has them]`;
}
