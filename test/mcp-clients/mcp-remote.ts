import { ok, strictEqual } from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { clientSnippets } from "../../console/mcp-clients/client-snippets.ts";
import { manage } from "../behaviour/fixture.ts";
import type { McpClientsUnderTest } from "../behaviour/mcp-clients/under-test.ts";
import { freePort } from "../support/free-port.ts";
import { PERSON } from "../support/sign-in-server.ts";
import type { Check } from "./check.ts";
import { type Remote, withRemote } from "./remote.ts";
import { signInWhenAsked } from "./sign-in.ts";

/** `mcp-remote` between a client that starts its servers as programs and the gateway; the checks build on each other. */
export function mcpRemoteChecks(it: McpClientsUnderTest, home: string): readonly Check[] {
  const { issuer, requests } = it.signIn;
  const folder = mkdtemp(join(home, "mcp-remote-"));
  const callbackPort = freePort();
  const person = () => signInWhenAsked(`${issuer}/auth?`);
  const withKept = async (args: readonly string[], use: (remote: Remote) => Promise<void>) =>
    withRemote(
      {
        args: [...toldRemote(`${it.us.url}/mcp`), String(await callbackPort), ...args],
        home: await folder,
        person: person(),
      },
      use,
    );

  return [
    {
      name: "mcp-remote: signs a person in, lists tools and calls one as that person",
      run: async () => {
        await withKept([], async (remote) => {
          await remote.signedIn();
          ok((await remote.toolNames()).includes("upstream_createNote"));
          strictEqual(await createNote(remote, "Mine"), "Mine");
        });
        strictEqual(await lastUser(it), PERSON);
      },
    },
    {
      name: "mcp-remote: goes on with the token it kept",
      run: async () => {
        const before = requests.length;
        await withKept([], async (remote) => strictEqual(await createNote(remote, "Again"), "Again"));
        strictEqual(requests.slice(before).filter(({ path }) => path === "/auth").length, 0);
      },
    },
    {
      name: "mcp-remote: takes the stateless generation when it may choose",
      run: () =>
        withKept(["--protocol", "auto"], async (remote) => {
          strictEqual(await createNote(remote, "Stateless"), "Stateless");
          ok(remote.said().includes("speaks MCP 2026-07-28"));
        }),
    },
    {
      name: "mcp-remote: calls a tool over the legacy transport",
      run: async () => {
        const header = ["--header", `Authorization:Bearer ${it.token["/sse"]}`];
        const args = [`${it.us.url}/sse`, "--transport", "sse-only", ...header];
        const empty = await mkdtemp(join(home, "mcp-remote-"));
        await withRemote({ args, home: empty, person: person() }, async (remote) => {
          strictEqual(await createNote(remote, "Legacy"), "Legacy");
        });
      },
    },
  ];
}

/** Resolves to the title of what was created. */
async function createNote(remote: Remote, title: string): Promise<unknown> {
  return (await remote.call("upstream_createNote", { title })).title;
}

/** What the Console tells people to start `mcp-remote` with. */
export function toldRemote(url: string): readonly string[] {
  const code = clientSnippets(url, "person").find(({ code }) => code.includes("mcp-remote"))?.code ?? "{}";
  const { mcpServers } = JSON.parse(code) as { mcpServers: { countersign: { args: readonly string[] } } };
  return mcpServers.countersign.args.slice(2);
}

/** Who the newest record of a call names. */
async function lastUser({ owner }: McpClientsUnderTest): Promise<unknown> {
  const response = await manage(owner, "GET", "/audit-events?type=tool.invoked&limit=1");
  const { items } = (await response.json()) as { readonly items: readonly { readonly user?: string }[] };
  return items[0]?.user;
}
