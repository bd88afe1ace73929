import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { clientSnippets } from "../../console/mcp-clients/client-snippets.ts";
import type { McpClientsUnderTest } from "../behaviour/mcp-clients/under-test.ts";
import { freePort } from "../support/free-port.ts";
import type { Check } from "./check.ts";
import { type Ended, type ProgramOptions, runProgram } from "./program.ts";
import { signInWhenAsked } from "./sign-in.ts";

const SCRIPT = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/** The Inspector's exit code when the server wants to be asked with a token. */
const AUTHORIZATION_NEEDED = 3;

/** The MCP Inspector on the command line, in both generations and over the legacy transport. */
export function inspectorChecks(it: McpClientsUnderTest, home: string): readonly Check[] {
  const inspect = (args: readonly string[], options: Partial<ProgramOptions> = {}) =>
    runProgram(SCRIPT, ["--cli", ...args, "--format", "json"], {
      home,
      ...options,
      variables: { MCP_INSPECTOR_SECRET_STORE: "memory", ...options.variables },
    });
  const mcp = [`${it.us.url}/mcp`, "--transport", "http"];
  /** As the Console tells people to. */
  const command = clientSnippets(`${it.us.url}/mcp`, "person").find(({ client }) => client === "MCP Inspector")?.code;
  const told = command?.split(" --cli ")[1]?.split(" ") ?? [];
  const withToken = ["--header", `Authorization: Bearer ${it.token["/mcp"]}`];
  const list = ["--method", "tools/list"];
  const call = ["--method", "tools/call", "--tool-name", "upstream_getNote", "--tool-args-json", '{"noteId":"1"}'];

  const perEra = ["legacy", "modern"].flatMap((era): Check[] => {
    const eraOf = [...mcp, "--protocol-era", era, ...withToken];
    return [
      {
        name: `Inspector, ${era} era: lists the tools and finds nothing wrong with their schemas`,
        run: async () => ok(toolNames(await inspect([...eraOf, ...list, "--strict"])).includes("upstream_getNote")),
      },
      {
        name: `Inspector, ${era} era: calls a tool`,
        run: async () => expectNote(await inspect([...eraOf, ...call])),
      },
    ];
  });

  return [
    {
      name: "Inspector: says that authorization is needed",
      run: async () => {
        const { code, stderr } = await inspect([...mcp, ...list, "--stored-auth-only"]);
        strictEqual(code, AUTHORIZATION_NEEDED, stderr);
        match(stderr, /"auth_required"/);
      },
    },
    ...perEra,
    {
      name: "Inspector: lists the tools when it is started as the Console says, with a token",
      run: async () => ok(toolNames(await inspect([...told, ...withToken])).includes("upstream_getNote")),
    },
    {
      name: "Inspector: sets the level of log messages",
      run: async () => {
        const level = ["--method", "logging/setLevel", "--log-level", "warning"];
        deepStrictEqual(resultOf(await inspect([...mcp, ...withToken, ...level])), {});
      },
    },
    {
      name: "Inspector: calls a tool over the legacy transport",
      run: async () => {
        const sse = [`${it.us.url}/sse`, "--transport", "sse", "--header", `Authorization: Bearer ${it.token["/sse"]}`];
        expectNote(await inspect([...sse, ...call]));
      },
    },
    {
      name: "Inspector: signs a person in and calls a tool",
      run: async () => {
        const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
        const person = signInWhenAsked(`${it.signIn.issuer}/auth?`);
        const ended = await inspect([...mcp, ...call, "--callback-url", callback], {
          // Without a terminal it would not begin otherwise.
          variables: { MCP_AUTO_OPEN_ENABLED: "true" },
          onStderr: person.look,
        });
        await person.finished();
        expectNote(ended);
      },
    },
  ];
}

function resultOf({ code, stdout, stderr }: Ended): unknown {
  strictEqual(code, 0, `${stderr}\n${stdout}`);
  return (JSON.parse(stdout) as { readonly result: unknown }).result;
}

function toolNames(ended: Ended): readonly string[] {
  return (resultOf(ended) as { readonly tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name);
}

function expectNote(ended: Ended): void {
  const { structuredContent } = resultOf(ended) as { readonly structuredContent?: { readonly title?: string } };
  strictEqual(structuredContent?.title, "First");
}
