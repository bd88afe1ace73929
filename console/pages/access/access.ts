import type { Stop } from "../../../lib/management/schemas/stops.ts";
import type { Tool, ToolList } from "../../../lib/management/schemas/tools.ts";
import type { Caller } from "./callers.ts";

/** What a caller may call: a tool of a REST API, or those of an MCP server that an entry of its app names. */
export interface Callable {
  readonly name: string;
  readonly app: string;
  /** The name that policies see; undefined for several tools. */
  readonly localName?: string | undefined;
  readonly scopes: readonly string[];
  readonly isDenied: boolean;
  /** Under which a call is allowed, in words. */
  readonly conditions: readonly string[];
}

export type Answer = "may" | "conditional" | "no";

export interface Access {
  readonly answer: Answer;
  /** Why not, or under which conditions. */
  readonly reasons: readonly string[];
}

/** What holds for all callers. */
export interface Surroundings {
  /** Audiences of the gateway. */
  readonly gateways: readonly string[];
  readonly stops: readonly Pick<Stop, "kind" | "id" | "state" | "issuer">[];
  readonly organizationId: string;
}

const CONDITIONS: Readonly<Record<NonNullable<Tool["conditions"]>[number], string>> = {
  policies: "the app's policies allow it",
  stepUp: "the person signed in as the tool asks",
  approval: "somebody approves it",
  connection: "the person's account is connected",
  pins: "the tool's version is approved",
};

/** Tools, then MCP servers: which tools those have depends on who asks. */
export function callablesOf({ items, servers }: ToolList): readonly Callable[] {
  const tools = items.map(({ name, app, localName, scopes, denied, conditions = [] }) => ({
    ...{ name, app, localName, scopes, isDenied: denied === true },
    conditions: conditions.map((condition) => CONDITIONS[condition]),
  }));
  const ofServers = servers.flatMap(({ app, namespace, inbound, conditions = [] }) => {
    const several = {
      ...{ app, isDenied: false },
      conditions: ["the server offers it", ...conditions.map((condition) => CONDITIONS[condition])],
    };
    const others = inbound.length === 0 ? "all tools" : "all other tools";
    return [
      ...inbound.map(({ name, scopes }) => ({
        ...several,
        name: name.startsWith("/") ? `${app}: ${name}` : namespace + name,
        scopes,
      })),
      { ...several, name: `${app}: ${others}`, scopes: [] },
    ];
  });
  return [...tools, ...ofServers];
}

/** What the caller may do with a token of its own, as far as its scopes, its audiences and the configuration tell. */
export function accessOf(caller: Caller, callable: Callable, around: Surroundings): Access {
  const reasons = [...callerFaults(caller, around), ...toolFaults(callable, around), ...missing(caller, callable)];
  if (reasons.length > 0) return { answer: "no", reasons };
  const { conditions } = callable;
  return conditions.length > 0 ? { answer: "conditional", reasons: conditions } : { answer: "may", reasons: [] };
}

/** The answers of callers that agree in all of it, together. */
export interface SharedAccess extends Access {
  readonly callers: readonly Caller[];
}

export function accessesOf(
  callers: readonly Caller[],
  callable: Callable,
  around: Surroundings,
): readonly SharedAccess[] {
  const shared = new Map<string, SharedAccess>();
  for (const caller of callers) {
    const access = accessOf(caller, callable, around);
    const key = JSON.stringify(access);
    shared.set(key, { ...access, callers: [...(shared.get(key)?.callers ?? []), caller] });
  }
  return [...shared.values()];
}

function callerFaults(caller: Caller, { gateways, stops, organizationId }: Surroundings): readonly string[] {
  const { kind, id, person } = caller;
  const noun = kind === "agent" ? "agent" : "client";
  const faults: string[] = [];
  if (!caller.hasKey) faults.push("the client has no active key pair");
  if (!caller.audiences.some((audience) => gateways.includes(audience))) {
    faults.push("the gateway is none of its audiences");
  }
  if (isStopped(stops, kind, id)) faults.push(`the ${noun} is stopped`);
  if (person !== undefined && isStopped(stops, "person", person.id)) faults.push("the person is stopped");
  if (isStopped(stops, "organization", organizationId)) faults.push("the organization is stopped");
  return faults;
}

function toolFaults({ app, localName, isDenied }: Callable, { stops }: Surroundings): readonly string[] {
  const faults: string[] = [];
  if (isDenied) faults.push("nobody may call it: no entry of its app names it");
  if (isStopped(stops, "app", app)) faults.push("the app is stopped");
  if (localName !== undefined && isStopped(stops, "tool", `${app}/${localName}`)) faults.push("the tool is stopped");
  return faults;
}

function missing({ scopes }: Pick<Caller, "scopes">, callable: Callable): readonly string[] {
  return callable.scopes.filter((scope) => !scopes.includes(scope)).map((scope) => `scope missing: ${scope}`);
}

/** What was ended may begin anew. Callers are those of this instance, whatever another server calls its own. */
function isStopped(stops: Surroundings["stops"], kind: Stop["kind"], id: string): boolean {
  return stops.some(
    (stop) => stop.kind === kind && stop.id === id && stop.issuer === undefined && stop.state === "suspended",
  );
}

export const ANSWERS: Readonly<Record<Answer, string>> = {
  may: "May",
  conditional: "May, if",
  no: "May not",
};

export interface Filters {
  readonly tool: string;
  readonly app: string;
  readonly answer: Answer | "";
}

/** The callables that fit, with at least one of some callers that has the answer. */
export function fitting(
  callables: readonly Callable[],
  callers: readonly Caller[],
  { tool, app, answer }: Filters,
  around: Surroundings,
): readonly Callable[] {
  const wanted = tool.trim().toLowerCase();
  return callables.filter(
    (callable) =>
      (app === "" || callable.app === app) &&
      [callable.name, ...callable.scopes].some((text) => text.toLowerCase().includes(wanted)) &&
      (answer === "" || callers.some((caller) => accessOf(caller, callable, around).answer === answer)),
  );
}

/** One line for each caller and callable that has the answer, with a head. */
export function accessCsv(
  callables: readonly Callable[],
  callers: readonly Caller[],
  answer: Filters["answer"],
  around: Surroundings,
): string {
  const rows = callers.flatMap((caller) =>
    callables.flatMap((callable) => {
      const access = accessOf(caller, callable, around);
      if (answer !== "" && access.answer !== answer) return [];
      const reasons = access.reasons.join("; ");
      const { id, name, person } = caller;
      const called = [id, name, callable.app, callable.name, callable.scopes.join(" "), access.answer, reasons];
      return [[...called, person?.id ?? "", person?.name ?? ""]];
    }),
  );
  return [HEAD, ...rows].map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
}

const HEAD = ["client", "name", "app", "tool", "scopes", "access", "reasons", "person", "personName"];

/** RFC 4180. What a spreadsheet would take for a formula begins with an apostrophe, as in exports of the audit log. */
function quoted(cell: string): string {
  const isFormula = /^[\s\p{Cc}]*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]/u.test(cell) || /^[\t\r\n]/.test(cell);
  return `"${(isFormula ? `'${cell}` : cell).replaceAll('"', '""')}"`;
}
