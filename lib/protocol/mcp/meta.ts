const PREFIX = "io.modelcontextprotocol";

/** Keys of `_meta` in the stateless generation (MCP 2026-07-28, Base Protocol, `_meta`). */
export const PROTOCOL_VERSION = `${PREFIX}/protocolVersion`;
export const CLIENT_CAPABILITIES = `${PREFIX}/clientCapabilities`;
export const CLIENT_INFO = `${PREFIX}/clientInfo`;
export const LOG_LEVEL = `${PREFIX}/logLevel`;
export const SERVER_INFO = `${PREFIX}/serverInfo`;
export const SUBSCRIPTION_ID = `${PREFIX}/subscriptionId`;
