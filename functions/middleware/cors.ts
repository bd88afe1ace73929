import { cors } from "hono/cors";

/** Open CORS without credentials, for endpoints that browser-based MCP clients call. */
export const publicCors = (methods: readonly string[]) =>
  cors({
    origin: "*",
    allowMethods: [...methods],
    allowHeaders: ["Content-Type", "Authorization", "Accept", "MCP-Protocol-Version"],
    exposeHeaders: ["WWW-Authenticate", "X-Request-Id"],
    maxAge: 600,
  });
