import { valueAt } from "../../../../lib/config/path.ts";
import { ownName } from "../../../../lib/upstream/names/namespaced.ts";
import { UsageError } from "../../usage-error.ts";
import { namespaceOf } from "./namespace.ts";
import { table } from "./table.ts";

/** An MCP server that an app guards; null is a placeholder. Which tools it has depends on who asks. */
export interface ToolServer {
  readonly app: string;
  readonly url: string | null;
  /** In front of the names of its tools; empty: they stay as they are. */
  readonly namespace: string | null;
  /** `tools.include` and `tools.exclude`; absent: all tools are offered. */
  readonly include?: unknown;
  readonly exclude?: unknown;
}

/** @param app of `type: mcpProxy`, as it stands in the configuration */
export function toolServer(name: string, app: unknown): ToolServer {
  const url = valueAt(app, ["upstream", String(valueAt(app, ["upstream", "transport"]) ?? "stream"), "url"]);
  const [include, exclude] = [valueAt(app, ["tools", "include"]), valueAt(app, ["tools", "exclude"])];
  return {
    app: name,
    url: typeof url === "string" ? url : null,
    namespace: namespaceOf({ name, document: app }),
    ...(include !== undefined && { include }),
    ...(exclude !== undefined && { exclude }),
  };
}

/** For people. */
export function serversTable(servers: readonly ToolServer[], columns?: number): string {
  const rows = servers.map((server) => [server.app, server.url ?? "(filled at start)", toolsText(server)]);
  return table(["APP", "MCP SERVER", "TOOLS"], rows, columns);
}

function toolsText({ namespace, include, exclude }: ToolServer): string {
  const names = namespace === "" ? "as it names them" : `${namespace ?? "(filled at start)"}…`;
  const isPart = include !== undefined || exclude !== undefined;
  return `${names}, listed for each caller when it asks${isPart ? ", but for those that tools leaves out" : ""}`;
}

/** Says that a tool may be one of a server's; undefined where its name is none of theirs. */
export async function maybeOfServer(servers: readonly ToolServer[], name: string): Promise<UsageError | undefined> {
  for (const { app, namespace } of servers) {
    if (namespace === null || (await ownName(namespace, name)) === undefined) continue;
    return new UsageError(
      `${name} may be a tool of the MCP server of the app ${app}, which lists its tools for each caller when it asks. What is decided on its calls, countersign explain says.`,
    );
  }
  return undefined;
}
