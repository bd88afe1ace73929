import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { ConnectedAgent } from "../../../lib/management/schemas/consents.ts";
import type { Names } from "../../parts/use-names.ts";

/** Who calls: an API client for itself, or an agent for a person who connected it. */
export interface Caller {
  readonly kind: "api_client" | "agent";
  /** Of the client. */
  readonly id: string;
  readonly name: string;
  /** What an API client was granted, or what the person allowed the agent. */
  readonly scopes: readonly string[];
  readonly audiences: readonly string[];
  /** False: it gets no token, for want of a key. */
  readonly hasKey: boolean;
  readonly person?: CallingPerson;
}

interface CallingPerson {
  readonly id: string;
  /** Absent: it is not known. */
  readonly name?: string;
}

/** A column: an API client, or an agent with all people for whom it calls. */
export interface CallerGroup extends Pick<Caller, "kind" | "id" | "name"> {
  readonly callers: readonly Caller[];
}

export function groupOfClient({ clientId: id, name, scopes, resources, keyPairs }: ApiClient): CallerGroup {
  const hasKey = keyPairs.some(({ status }) => status === "active");
  const caller = { kind: "api_client", id, name, scopes, audiences: resources, hasKey } as const;
  return { kind: "api_client", id, name, callers: [caller] };
}

/** Agents by what they are called, each once, in the order of those who were connected last. */
export function groupsOfAgents(agents: readonly ConnectedAgent[], members: Names): readonly CallerGroup[] {
  const groups = new Map<string, CallerGroup>();
  for (const agent of agents) {
    const { client: id, user, scopes, resources: audiences } = agent;
    const { name = agent.name ?? id, callers = [] } = groups.get(id) ?? {};
    const called = members.get(user) ?? agent.userName;
    const person = { id: user, ...(called !== undefined && { name: called }) };
    const caller: Caller = { kind: "agent", id, name, scopes, audiences, hasKey: true, person };
    groups.set(id, { kind: "agent", id, name, callers: [...callers, caller] });
  }
  return [...groups.values()];
}

export interface CallerFilters {
  /** A part of what agents are called, or of their ids; API clients are searched for by the server. */
  readonly search: string;
  /** A part of a name or id: agents that call for such people, and no API clients. */
  readonly person: string;
  readonly callers: Caller["kind"] | "";
}

export function fittingGroups(
  groups: readonly CallerGroup[],
  { search, person, callers }: CallerFilters,
): readonly CallerGroup[] {
  return groups
    .filter((group) => callers === "" || group.kind === callers)
    .filter(({ kind, id, name }) => kind === "api_client" || hasText(search, id, name))
    .map((group) => (person.trim() === "" ? group : { ...group, callers: group.callers.filter(isOf(person)) }))
    .filter((group) => group.callers.length > 0);
}

function isOf(text: string): (caller: Caller) => boolean {
  return ({ person }) => person !== undefined && hasText(text, person.id, person.name ?? "");
}

function hasText(text: string, ...fields: readonly string[]): boolean {
  const wanted = text.trim().toLowerCase();
  return fields.some((field) => field.toLowerCase().includes(wanted));
}

/** Some callers of an agent: the person's name, or how many people they are. Of an API client nothing. */
export function peopleOf(callers: readonly Caller[]): string | undefined {
  const [first, ...others] = callers.flatMap(({ person }) => person ?? []);
  if (first === undefined) return undefined;
  return others.length === 0 ? (first.name ?? first.id) : `${others.length + 1} people`;
}
