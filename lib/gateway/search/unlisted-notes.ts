import { policies } from "../decision/policies.ts";
import type { PolicyCaller } from "../decision/policy-input.ts";
import type { ListPorts } from "../decision/step.ts";
import type { UnlistedApp } from "../proxied/lists.ts";

/** Names of apps that are told. */
const MOST = 20;

/**
 * What is said of apps whose tools nobody knows now. An app is named unless its policies hide what is none of its tools from the
 * caller: one that is hidden as a whole does not exist for it (checklist 27).
 *
 * @param asked the name of the one app that is asked about; absent: all
 */
export async function unlistedNotes(
  unlisted: readonly UnlistedApp[],
  caller: PolicyCaller,
  ports: ListPorts,
  asked?: string,
): Promise<readonly string[]> {
  const meant = unlisted.filter(({ app }) => asked === undefined || app.name === asked);
  if (meant.length === 0) return [];
  const candidates = meant.map((one) => ({ ...one, tool: { localName: "" } }));
  const named = new Set((await policies.shown?.(candidates, caller, ports)) ?? []);
  const note = (why: UnlistedApp["why"], what: string): readonly string[] => {
    const apps = candidates.filter((one) => one.why === why && (asked === undefined || named.has(one)));
    const names = apps.filter((one) => named.has(one)).map(({ app }) => app.name);
    return apps.length === 0 ? [] : [`${subject(names, apps.length - names.length)} ${what}`];
  };
  return [
    ...note("late", "not known yet: the MCP server has not listed them in time. Ask again in a few seconds."),
    ...note("failed", "not known now: the MCP server did not list them. Ask again later."),
  ];
}

function subject(names: readonly string[], unnamed: number): string {
  if (names.length === 0) return "The tools of an app are";
  const more = unnamed + Math.max(0, names.length - MOST);
  return `The tools of ${names.slice(0, MOST).join(", ")}${more > 0 ? ` and ${more} more` : ""} are`;
}
