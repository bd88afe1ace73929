import type { JsonObject } from "../../json.ts";
import { isSessionRevision, SESSION_REVISIONS } from "../../mcp/revisions.ts";
import { UpstreamFailure } from "../wire/upstream-failure.ts";

/**
 * The revision that an upstream answered `initialize` with; the one that it was asked for where it names none. From one that we
 * do not speak we part (MCP 2025-11-25, Lifecycle, Version Negotiation).
 *
 * @throws UpstreamFailure `other_revision`
 */
export function agreedRevision({ protocolVersion }: JsonObject, asked: string): string {
  if (typeof protocolVersion !== "string") return asked;
  if (isSessionRevision(protocolVersion)) return protocolVersion;
  const accepted = SESSION_REVISIONS.join(", ");
  throw new UpstreamFailure(
    "other_revision",
    `The upstream answered initialize with a revision of MCP that is not accepted here; accepted: ${accepted}.`,
  );
}
