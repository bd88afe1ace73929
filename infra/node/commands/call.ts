import { EXIT } from "../exit-codes.ts";
import { parseArguments } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { SERVER_FLAGS } from "./mcp-client/server-flags.ts";
import { printable } from "./tools/table.ts";

const FLAGS = { ...SERVER_FLAGS, arguments: "string", json: "boolean" } as const;

/** Milliseconds for a tool to answer: as long as a timer takes. Whoever has waited enough ends the command. */
const PATIENCE = 2 ** 31 - 1;

/**
 * `countersign call TOOL [key=value | key:=json …] -url URL [-arguments FILE|-] [-json]`: calls a tool of an MCP server and prints
 * what it answers. Without a token a person signs in in the browser. Exit 4 where the tool says that it failed.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { flags, words } = parseArguments(args, FLAGS);
  const [name, ...rest] = words;
  if (name === undefined) throw new UsageError("countersign call needs the name of a tool first.");
  if (name.includes("=")) throw new UsageError(`The name of a tool stands before the arguments: found ${name}.`);
  // The client of the SDK is for these commands alone.
  const { argumentsIn, givenArguments, typedArguments } = await import("./mcp-client/given-arguments.ts");
  const { findServerTool, textOf } = await import("./mcp-client/find-tool.ts");
  const { withServer } = await import("./mcp-client/server.ts");
  const given = givenArguments(rest);
  const inFile = flags.arguments === undefined ? {} : await argumentsIn(flags.arguments);
  const result = await withServer(flags, io, async (client) => {
    const { inputSchema } = await findServerTool(client, name);
    const typed = { ...inFile, ...typedArguments(given, inputSchema) };
    return client.callTool({ name, arguments: typed }, { timeout: PATIENCE });
  });
  if (flags.json) io.stdout(`${JSON.stringify(result)}\n`);
  else {
    const write = result.isError ? io.stderr : io.stdout;
    const text = textOf(result);
    // A terminal would obey some characters; a file gets what the tool answered.
    const shown = io.columns === undefined ? text : printable(text);
    write(shown.endsWith("\n") ? shown : `${shown}\n`);
  }
  return result.isError ? EXIT.refused : EXIT.ok;
}
