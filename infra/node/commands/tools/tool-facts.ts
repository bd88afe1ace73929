import { valueAt } from "../../../../lib/config/path.ts";
import type { BridgeTool, CatalogTool } from "../../../../lib/openapi/catalog.ts";
import { createOpenTool } from "../../../../lib/openapi/open-tool.ts";
import { type ToolAccess, toolAccess } from "./tool-access.ts";
import type { ToolApp } from "./tool-apps.ts";
import { type ToolArgument, toolArguments } from "./tool-arguments.ts";
import { type ToolCredential, toolCredential } from "./tool-credential.ts";

/** Everything about one tool: what `countersign tools -tool NAME -json` prints. */
export interface ToolFacts
  extends Pick<
      BridgeTool,
      | "name"
      | "localName"
      | "title"
      | "description"
      | "method"
      | "path"
      | "tags"
      | "annotations"
      | "inputSchema"
      | "outputSchema"
    >,
    ToolAccess {
  readonly app: string;
  /** Where requests go; null: a placeholder or, of a document alone, no server that it names. */
  readonly baseURL: string | null;
  readonly arguments: readonly ToolArgument[];
  readonly body?: { readonly contentType: string; readonly required: boolean };
  /** Alternatives, the security schemes that each takes together; absent: the document asks for none. */
  readonly security?: readonly (readonly string[])[];
  /** Value of the `Accept` header. */
  readonly accept: string;
  readonly credential: ToolCredential;
}

export function toolFacts({ name: app, document, catalog }: ToolApp, tool: CatalogTool): ToolFacts {
  const opened = createOpenTool(catalog)(tool);
  const { paramHeaders: _, request, ...facts } = opened;
  const baseURL = request.baseURL ?? valueAt(document, ["openapi", "baseURL"]);
  return {
    app,
    ...facts,
    baseURL: typeof baseURL === "string" ? baseURL : null,
    ...(request.body !== undefined && {
      body: { contentType: request.body.contentType, required: request.body.required === true },
    }),
    ...(request.security !== undefined && { security: request.security }),
    accept: request.accept,
    arguments: toolArguments(opened),
    ...toolAccess(document, tool.localName),
    credential: toolCredential(document, opened, catalog),
  };
}
