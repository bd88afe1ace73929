import { valueAt } from "../path.ts";
import { resourceOf } from "../resource.ts";
import type { Problem } from "../rules/rule.ts";

const OAUTH = ["mcpProvider", "authorization", "oauth"] as const;
const TRANSPORTS = ["mcpProvider", "transports"] as const;

/** Where the legacy transport is told the resource of the other one, which its URL does not begin with. */
export function sseAudienceWarnings(document: unknown, publicURL: string | undefined): readonly Problem[] {
  const [stream, sse] = ["stream", "sse"].map((name) => valueAt(document, [...TRANSPORTS, name]));
  const areOn = [valueAt(stream, ["enabled"]), valueAt(sse, ["enabled"]), valueAt(document, [...OAUTH, "enabled"])];
  const path = valueAt(sse, ["path"]);
  const basePath = valueAt(sse, ["basePath"]) ?? "";
  const expected = audiencesOf(valueAt(document, [...OAUTH, "servers"]));
  if (areOn.some((isOn) => isOn !== true) || publicURL === undefined || expected === undefined) return [];
  if (typeof path !== "string" || typeof basePath !== "string") return [];
  const base = valueAt(sse, ["baseURL"]) ?? publicURL;
  if (typeof base !== "string") return [];
  const url = base.replace(/\/$/, "") + basePath.replace(/\/$/, "") + path;
  return resourceOf(url, expected) === undefined ? [{ path: [...TRANSPORTS, "sse", "path"], message: MESSAGE }] : [];
}

const MESSAGE =
  "expectedAudiences names neither the URL of the event stream nor a prefix of it: clients that compare the two will not connect";

/** Undefined while one of them is not known. */
function audiencesOf(servers: unknown): readonly (readonly string[])[] | undefined {
  if (!Array.isArray(servers)) return undefined;
  const lists = servers.map((server: unknown) => valueAt(server, ["tokenValidation", "expectedAudiences"]));
  const isKnown = (list: unknown): list is readonly string[] =>
    Array.isArray(list) && list.every((audience) => typeof audience === "string");
  return lists.every(isKnown) ? lists : undefined;
}
