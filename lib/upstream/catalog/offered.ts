import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { toolPattern } from "../../config/tool-names.ts";

/** Which of a server's tools agents get to know and may call. */
export type Curation = Pick<McpProxyAppConfiguration, "include" | "exclude">;

/** Whether a tool of the server is offered, by the server's own name for it. */
export function isOffered(app: Curation, upstreamName: string): boolean {
  return createOffered(app)(upstreamName);
}

/** The same for many tools. */
export function createOffered({ include, exclude = [] }: Curation): (upstreamName: string) => boolean {
  const included = include?.map(toolPattern);
  const excluded = exclude.map(toolPattern);
  return (name) =>
    (included === undefined || included.some((matches) => matches(name))) && !excluded.some((matches) => matches(name));
}
