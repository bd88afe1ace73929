import type { ConfigurationDocument } from "../schema/document.ts";

/** `apps[]` of a valid document. */
export type AppDocument = ConfigurationDocument["apps"][number];
export type BridgeDocument = Extract<AppDocument, { type: "mcpBridge" }>;
export type ProxyDocument = Extract<AppDocument, { type: "mcpProxy" }>;
/** Of an app whose tools agents call. */
export type McpAppDocument = BridgeDocument | ProxyDocument;
