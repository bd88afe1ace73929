import type { JsonObject } from "../../../json.ts";

/**
 * Server Objects, `https` first. Without a host they are relative, and without schemes they have none (`//host`): both
 * come from where the document was read (Swagger 2.0, `host` and `schemes`).
 */
export function servers({ host, basePath, schemes }: JsonObject): readonly JsonObject[] {
  const path = typeof basePath === "string" && basePath !== "/" ? `/${basePath.replace(/^\/+/, "")}` : "";
  if (typeof host !== "string" || host === "") return [{ url: path === "" ? "/" : path }];
  const known = ["https", "http"].filter((scheme) => Array.isArray(schemes) && schemes.includes(scheme));
  if (known.length === 0) return [{ url: `//${host}${path}` }];
  return known.map((scheme) => ({ url: `${scheme}://${host}${path}` }));
}
