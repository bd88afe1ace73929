import type { AuditEvent } from "../../lib/management/schemas/audit-events.ts";
import { ownName } from "../../lib/upstream/names/namespaced.ts";
import { Partial, type Unknown } from "./partial.ts";
import type { Surroundings } from "./protocol.ts";

/**
 * The input that policies had of a recorded call, as far as its record tells. Arguments, headers, addresses and most claims are in no record.
 */
export async function inputOfRecord(
  record: AuditEvent,
  surroundings: Surroundings,
): Promise<Readonly<Record<string, unknown>>> {
  const { app, agent, details = {} } = record;
  const localName = await localNameOf(record, surroundings);
  const params = new Partial("request.mcp.tool.params", localName === undefined ? {} : { name: localName }, [
    "name",
    "arguments",
  ]);
  const mcp = new Partial(
    "request.mcp",
    {
      ...{ method: "tools/call", app, tool: { params } },
      ...(details.sessionId !== undefined && { session: details.sessionId }),
    },
    ["http", "session"],
  );
  return {
    request: { http: new Partial("request.http", {}, "others"), mcp },
    user: userOf(record),
    agent: agent === undefined ? absentAgent(record) : { clientID: agent },
    token: { claims: claimsOf(record, surroundings) },
  };
}

/** Of a record for several refusals what they have in common is there alone: whatever is missing may have been there. */
function isOfSeveral({ count }: AuditEvent): boolean {
  return count !== undefined;
}

function userOf(record: AuditEvent): unknown {
  const { user } = record;
  if (user !== undefined) return new Partial("user", { sub: user }, "others");
  return isOfSeveral(record) ? new Partial("user", {}, "others") : {};
}

function absentAgent(record: AuditEvent): unknown {
  return isOfSeveral(record) ? new Partial("agent", {}, "others") : {};
}

/** A token of this instance names client and subject by claims of these names (RFC 9068 §2.2); of others the subject is known alone. */
function claimsOf({ agent, user, details, count }: AuditEvent, { issuer }: Surroundings): Partial {
  const isOwn = issuer !== undefined && details?.issuer === issuer;
  const sub = user ?? (isOwn && count === undefined ? agent : undefined);
  const known = {
    ...(isOwn && { iss: issuer }),
    ...(isOwn && agent !== undefined && { client_id: agent }),
    ...(sub !== undefined && { sub }),
  };
  const others: Unknown = "others";
  return new Partial("token.claims", known, others);
}

/** The name without namespace; undefined where only the server's own list could tell. */
async function localNameOf({ app, tool }: AuditEvent, { tools }: Surroundings): Promise<string | undefined> {
  if (tool === undefined) return undefined;
  const listed = tools.items.find((one) => one.name === tool && one.app === app);
  if (listed !== undefined) return listed.localName;
  const server = tools.servers.find((one) => one.app === app);
  return server && (await ownName(server.namespace, tool));
}
