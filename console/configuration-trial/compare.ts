import { proxyApps } from "../../lib/gateway/tool-index.ts";
import type { Clock } from "../../lib/kernel/clock.ts";
import { type Access, type AccessOf, accessWith } from "./access.ts";
import type { Tryable } from "./configurations.ts";
import type { AccessComparison, AccessGroup, Both, ToolWords, TriedClient } from "./protocol.ts";

export interface ComparedClients {
  readonly clients: readonly TriedClient[];
  readonly organizationId: string;
}

/** Of how many clients the page is told at once. */
const STRIDE = 10;

/**
 * Who gains or loses which tools of REST APIs.
 *
 * @param announce is told how many clients were compared
 */
export async function compareAccess(
  { draft, inUse }: Both<Tryable>,
  { clients, organizationId }: ComparedClients,
  clock: Clock,
  announce: (done: number) => void,
): Promise<AccessComparison> {
  if (inUse?.configuration === undefined || draft.configuration === undefined)
    return { problems: { draft: problemsOf(draft), inUse: problemsOf(inUse) } };
  const options = { organizationId, clock, numberOf: numbering() };
  const [before, after] = [inUse.configuration, draft.configuration].map((configuration) =>
    accessWith(configuration, options),
  ) as [AccessOf, AccessOf];
  const groups = new Map<string, AccessGroup>();
  let unchanged = 0;
  for (const [index, client] of clients.entries()) {
    const changes = changesOf(await before.of(client), await after.of(client));
    if (changes === undefined) unchanged += 1;
    else join(groups, client, changes);
    if ((index + 1) % STRIDE === 0) announce(index + 1);
  }
  const [formerly, now] = [new Set(before.tools), new Set(after.tools)];
  const servers = [inUse, draft].flatMap(({ configuration }) => proxyApps(configuration?.apps ?? []));
  return {
    groups: [...groups.values()].toSorted((one, other) => sizeOf(other) - sizeOf(one)),
    unchanged,
    newTools: after.tools.filter((tool) => !formerly.has(tool)),
    goneTools: before.tools.filter((tool) => !now.has(tool)),
    servers: [...new Set(servers.map(({ name }) => name))],
  };
}

function problemsOf(side: Tryable | undefined): readonly string[] {
  return side !== undefined && "problems" in side ? side.problems : [];
}

function numbering(): (text: string) => number {
  const numbers = new Map<string, number>();
  return (text) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
}

type Changes = Omit<AccessGroup, "clients">;
type Accesses = ReadonlyMap<string, Access>;

/** A tool that there is not is one that nobody may call. */
const NO_TOOL = { may: false, why: "there is no such tool" } as const satisfies Access;

/** Undefined: nothing changes. */
function changesOf(before: Accesses, after: Accesses): Changes | undefined {
  const [gained, lost, changed]: [ToolWords[], ToolWords[], ToolWords[]] = [[], [], []];
  for (const [tool, now] of after) {
    const formerly: Access = before.get(tool) ?? NO_TOOL;
    if (now.may && !formerly.may) gained.push({ tool, words: under(now.under.words) });
    else if (formerly.may && !now.may) lost.push({ tool, words: now.why });
    else if (formerly.may && now.may && formerly.under.key !== now.under.key)
      changed.push({ tool, words: transition(formerly.under.words, now.under.words) });
  }
  for (const [tool, formerly] of before) {
    if (formerly.may && !after.has(tool)) lost.push({ tool, words: NO_TOOL.why });
  }
  return gained.length + lost.length + changed.length === 0 ? undefined : { gained, lost, changed };
}

function under(conditions: string): string {
  return conditions === "" ? "" : `each call needs ${conditions}`;
}

function transition(before: string, after: string): string {
  if (before === after) return `each call needs ${after}, decided in another way`;
  return `each call needs ${after || "nothing more"}; before: ${before || "nothing more"}`;
}

function join(groups: Map<string, AccessGroup>, { clientId, name }: TriedClient, changes: Changes): void {
  const key = JSON.stringify(changes);
  const { clients = [] } = groups.get(key) ?? {};
  groups.set(key, { ...changes, clients: [...clients, { clientId, name }] });
}

function sizeOf({ gained, lost, changed }: AccessGroup): number {
  return gained.length + lost.length + changed.length;
}
