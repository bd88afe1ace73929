import type { Context } from "hono";
import type { Configuration } from "../../lib/config/configuration.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { essence } from "../../lib/protocol/http/media-type.ts";
import type { Env } from "../env.ts";

/**
 * Refuses a state-changing request that another site may have made a browser send: a form's content type, a foreign
 * `Origin`, or a foreign `Sec-Fetch-Site`. Callers that are no browsers send none of these.
 * @throws ProblemError `forbidden`
 */
export function refuseCrossSite(c: Context<Env>, configuration: Configuration): void {
  if (SAFE_METHODS.includes(c.req.method)) return;
  const origin = c.req.header("Origin");
  if (origin !== undefined && !ownOrigins(configuration).includes(origin)) {
    throw new ProblemError("forbidden", "Requests from this origin are not accepted.");
  }
  const site = c.req.header("Sec-Fetch-Site");
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    throw new ProblemError("forbidden", "Requests from other sites are not accepted.");
  }
  if (!isJsonOrEmpty(c)) throw new ProblemError("forbidden", "Send the body as application/json.");
}

function ownOrigins(configuration: Configuration): readonly string[] {
  return [new URL(configuration.publicURL).origin, new URL(configuration.console.baseURL).origin];
}

function isJsonOrEmpty(c: Context<Env>): boolean {
  const contentType = c.req.header("Content-Type");
  if (contentType !== undefined) return isJson(contentType);
  return (c.req.header("Content-Length") ?? "0") === "0";
}

/** Whether a content type is JSON, also as a merge patch (RFC 7396); no form can send either. */
export function isJson(contentType: string): boolean {
  return JSON_TYPES.includes(essence(contentType));
}

const JSON_TYPES: readonly string[] = ["application/json", "application/merge-patch+json"];
const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];
