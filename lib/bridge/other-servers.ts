import type { CatalogTool, OtherServer, ToolDetails } from "./catalog.ts";

/** Where calls go that do not go where the app is, each origin once. */
export function otherServersOf(tools: readonly CatalogTool[], details: readonly ToolDetails[]): readonly OtherServer[] {
  const servers = new Map<string, { origin: string; count: number; example: string }>();
  for (const [index, { request }] of details.entries()) {
    if (request.baseURL === undefined) continue;
    const { origin } = new URL(request.baseURL);
    const known = servers.get(origin);
    if (known !== undefined) known.count++;
    else servers.set(origin, { origin, count: 1, example: tools[index]?.name ?? "" });
  }
  return [...servers.values()];
}
