import type { WebAppConfiguration } from "../../lib/config/web-app-configuration.ts";

/** A web app of everybody's, with what a test changes. */
export function webApp(name: string, changes: Partial<WebAppConfiguration> = {}): WebAppConfiguration {
  return {
    type: "proxy",
    name,
    routes: [{ path: `/${name}` }],
    upstream: `https://${name}.internal.example`,
    ...{ stripPrefix: "", preserveHost: false, timeout: 30_000, maxBody: 1_000_000 },
    ...{ headers: [], forwardAuthorization: false, allowedOrigins: [] },
    policies: [{ location: { kind: "prefix", path: "/" }, allowUnauthenticated: false, idps: ["corp"], policies: [] }],
    ...changes,
  };
}
