import type { McpBridgeAppConfiguration, StepUpConfiguration } from "../app-configuration.ts";
import type { FilledParts } from "../fill.ts";
import { type HeaderPart, headerParts, type UpstreamHeader } from "../header-template.ts";
import { pathText } from "../path.ts";
import type { McpAppDocument } from "./app-documents.ts";
import type { Report } from "./http.ts";
import { assembleOutbound, type Issuers } from "./outbound.ts";
import { assemblePolicies } from "./policies.ts";
import { present } from "./present.ts";

export interface McpAppContext extends Issuers {
  /** How each placeholder is written in the document, by path text. */
  readonly written: ReadonlyMap<string, string>;
  /** How texts with secrets in them were put together, by path text. */
  readonly withSecrets: ReadonlyMap<string, FilledParts>;
  readonly report: Report;
}

/** What apps of both kinds have, but for the connections to their upstreams. */
type McpAppParts = Omit<McpBridgeAppConfiguration, "type" | "catalog" | "baseURL" | "auth" | "tls">;

/** @param index of the app among all of the document */
export function assembleMcpApp(app: McpAppDocument, index: number, context: McpAppContext): McpAppParts {
  const { inbound, outbound } = app.authorization;
  const policies = assemblePolicies(inbound);
  return {
    name: app.name,
    ...present({ organization: app.organization }),
    timeout: app.upstream.timeout,
    ...assembleHeaders(app, index, context),
    inboundTools: inbound.tools,
    ...(policies.length > 0 && { policies }),
    stepUp: inbound.stepUp.map(assembleStepUp),
    outbound: assembleOutbound(outbound, ["apps", index, "authorization", "outbound"], context, context.report),
  };
}

function assembleHeaders(
  { upstream }: McpAppDocument,
  index: number,
  { written, withSecrets }: McpAppContext,
): Pick<McpAppParts, "headers"> {
  const templates = Object.entries(upstream.headers ?? {}).map(([name, value]): UpstreamHeader => {
    const path = pathText(["apps", index, "upstream", "headers", name]);
    const isSecret = written.has(path) || name.toLowerCase() === "authorization";
    const parts = withSecrets.get(path)?.flatMap(partsOf) ?? headerParts(value);
    return { name: name.toLowerCase(), parts, ...(isSecret && { isSecret }) };
  });
  return templates.length > 0 ? { headers: templates } : {};
}

/** What a secret holds is never read as a template, whatever it looks like. */
function partsOf({ text, isSecret }: FilledParts[number]): readonly HeaderPart[] {
  return isSecret ? [{ text, isSecret }] : headerParts(text);
}

function assembleStepUp({
  tools,
  acr,
  maxAge,
}: McpAppDocument["authorization"]["inbound"]["stepUp"][number]): StepUpConfiguration {
  return { tools, ...present({ acr: typeof acr === "string" ? [acr] : acr, maxAge }) };
}
