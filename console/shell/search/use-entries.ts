import { useLocation } from "wouter";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { ToolList } from "../../../lib/management/schemas/tools.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { path } from "../../api/request.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import { useSession } from "../../session/context.ts";
import { useTargets } from "../navigation-links.tsx";
import { type Entry, type EntryGroup, matching } from "./entries.ts";

/** What could not be looked through, and why. */
export interface SearchProblem {
  readonly title: string;
  readonly error: ApiProblem;
  readonly retry: () => void;
}

/**
 * What the search finds, in groups; without a text the pages alone.
 *
 * @param asked the text with which the server is asked: it follows after a pause
 */
export function useEntries(text: string, asked: string) {
  const pages = usePages();
  const actions = useActions();
  const clients = useClients(asked);
  const tools = useTools();
  const records = useRecords(text);
  const local = (entries: readonly Entry[]) => (text === "" ? [] : matching(entries, text));
  const groups: readonly EntryGroup[] = [
    { heading: "Pages", entries: text === "" ? pages : matching(pages, text) },
    { heading: "Tools", entries: local(tools.entries) },
    { heading: "To do", entries: local(actions) },
    // After what the browser knows by itself: what Enter takes stays the same when the server's answer comes.
    { heading: "API clients", entries: asked === text ? clients.entries : [] },
    { heading: "Audit log", entries: records },
  ];
  const problems = [
    { title: "The API clients could not be searched", error: clients.error, retry: clients.retry },
    { title: "The tools could not be read", error: tools.error, retry: tools.retry },
  ];
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    problems: problems.filter((one): one is SearchProblem => one.error !== null),
    /** The server has not answered yet. */
    isSearching: asked !== "" && clients.isSearching,
  };
}

function usePages(): readonly Entry[] {
  const [, navigate] = useLocation();
  return [...useTargets(), { href: "/account", label: "Account" }, { href: "/connect", label: "Connect an agent" }].map(
    ({ href, label }) => ({ id: `page:${href}`, label, words: WORDS[href] ?? "", run: () => navigate(href) }),
  );
}

/** What people call it who do not know what it is called here. */
const WORDS: Readonly<Record<string, string>> = {
  "/": "home dashboard health status",
  "/api-clients": "applications services keys credentials",
  "/audit": "logs history records events denied",
  "/approvals": "approve confirm wait",
  "/stops": "stop block suspend kill switch",
  "/gateway": "mcp tools servers sessions upstreams",
  "/policies": "cel rego opa expression try simulate",
  "/gateway/pins": "changed tools approve pins",
  "/connections": "upstream accounts providers linked",
  "/connected-agents": "consents links agents",
  "/gateway/limits": "rate quota throttle",
  "/gateway/configuration": "yaml publish revision rollback deployment",
  "/gateway/settings": "options",
  "/organization": "members people invitations owners roles",
  "/account": "passkeys sessions profile sign out",
  "/connect": "claude cursor vs code inspector snippet",
};

function useActions(): readonly Entry[] {
  const [, navigate] = useLocation();
  const { me, organization, isOwner, instance, switchTo } = useSession();
  const owners: readonly Entry[] = [
    { id: "do:client", label: "New API client", words: "create add", run: () => navigate("/api-clients?create=true") },
    { id: "do:rotate", label: "Rotate a key", words: "renew revoke key pair", run: () => navigate("/api-clients") },
    { id: "do:stop", label: "Stop an agent", words: "block suspend", run: () => navigate("/stops") },
    { id: "do:invite", label: "Invite somebody", words: "member add", run: () => navigate("/organization") },
  ];
  const operators: readonly Entry[] = [
    {
      id: "do:edit",
      label: "Edit the configuration",
      words: "add api mcp server yaml",
      run: () => navigate("/gateway/configuration/edit"),
    },
  ];
  const others = me.organizations.filter(({ organizationId }) => organizationId !== organization.organizationId);
  const switches = others.map(({ organizationId, name }) => ({
    id: `switch:${organizationId}`,
    label: name,
    detail: "Switch organization",
    run: () => {
      navigate("/");
      switchTo(organizationId);
    },
  }));
  return [...(isOwner ? owners : []), ...(isOwner && instance?.isFirstOrganization ? operators : []), ...switches];
}

function useClients(search: string) {
  const [, navigate] = useLocation();
  const {
    items = [],
    error,
    isPending,
    refetch,
  } = useList<ApiClient>("/api-clients", {
    query: { limit: 6, search },
    enabled: search !== "",
  });
  const entries = items.map(({ clientId, name }) => ({
    id: `client:${clientId}`,
    label: name,
    detail: clientId,
    run: () => navigate(path`/api-clients/${clientId}`),
  }));
  return { entries, error, isSearching: isPending, retry: refetch };
}

function useTools() {
  const [, navigate] = useLocation();
  const { data, error, refetch } = useRead<ToolList>("/tools");
  const entries = (data?.body.items ?? []).map(({ name, app, title, description = "" }) => ({
    id: `tool:${name}`,
    label: name,
    detail: title ?? app,
    words: description,
    run: () => navigate(path`/gateway/tools/${name}`),
  }));
  return { entries, error, retry: () => void refetch() };
}

function useRecords(text: string): readonly Entry[] {
  const [, navigate] = useLocation();
  if (text === "") return [];
  const search = `/audit?${new URLSearchParams({ q: text })}`;
  return [{ id: "records", label: `Records with “${text}”`, run: () => navigate(search) }];
}
