import type { ConnectionAdministrationPorts } from "../../../lib/connections/administration.ts";
import {
  type ConnectionAdministrator,
  organizationConnections,
  takeBackConnection,
} from "../../../lib/connections/administration.ts";
import { representConnection } from "../../../lib/management/representations/connections.ts";
import type { ConnectionFacts } from "../../../lib/stores/connections.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { administerExisting, required } from "./administer.ts";
import { STORE_FLAGS } from "./embedded-store.ts";
import { jsonLine, LISTING_FLAGS, listed } from "./listed.ts";

type Action = (args: readonly string[], io: CommandIo) => Promise<object | string>;

const ACTIONS: Readonly<Record<string, Action>> = { list, delete: remove };

/**
 * `countersign connections list|delete`: people's accounts at providers, in the first organization of the embedded store of this
 * machine. Prints one JSON object.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const [name = "", ...rest] = args;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    throw new UsageError(`countersign connections needs one of ${Object.keys(ACTIONS).join(", ")} first.`);
  }
  const done = await action(rest, io);
  io.stdout(typeof done === "string" ? done : jsonLine(done));
  return 0;
}

const COLUMNS = ["connectionId", "person", "app", "connector", "state", "lastUsedAt"];

/** `[-person ID]` */
async function list(args: readonly string[], io: CommandIo): Promise<string> {
  const flags = parseFlags(args, { ...STORE_FLAGS, ...LISTING_FLAGS, person: "string" });
  return administerExisting(flags, io, async (dependencies, operator) => {
    const { configuration } = dependencies.configuration();
    const found =
      flags.person === undefined
        ? await allConnections(dependencies, { ...operator, isOwner: true })
        : await dependencies.stores.connections.connectionsOf(operator.organizationId, flags.person);
    const items = found.map((facts) => representConnection(configuration, facts));
    return listed({ items }, items, COLUMNS, flags, io);
  });
}

/** `-connection ID -person ID -app NAME [-agent ID]`: the server that runs on the store tells the provider. */
async function remove(args: readonly string[], io: CommandIo): Promise<object> {
  const kinds = { connection: "string", person: "string", app: "string", agent: "string" } as const;
  const flags = parseFlags(args, { ...STORE_FLAGS, ...kinds });
  const named = {
    connectionId: required(flags.connection, "connection ID"),
    person: required(flags.person, "person ID"),
    app: required(flags.app, "app NAME"),
    agent: flags.agent ?? "",
  };
  await administerExisting(flags, io, (dependencies, operator) =>
    takeBackConnection(dependencies, { ...operator, isOwner: true }, named),
  );
  return { deleted: named.connectionId };
}

async function allConnections(
  ports: ConnectionAdministrationPorts,
  owner: ConnectionAdministrator,
): Promise<readonly ConnectionFacts[]> {
  const found: ConnectionFacts[] = [];
  let cursor: string | undefined;
  do {
    const request = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const page = await organizationConnections(ports, owner, request);
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

const PAGE = 200;
