import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { ConnectedAgent } from "../../../lib/management/schemas/consents.ts";
import type { Member } from "../../../lib/management/schemas/members.ts";
import type { ToolList } from "../../../lib/management/schemas/tools.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import type { Names } from "../../parts/use-names.ts";
import { useSession } from "../../session/context.ts";
import type { StopKind } from "./stop-kinds.ts";

/** What there is of a kind, by the id that stops it: what the lists of the Console have. Others can be typed. None without a kind. */
export function useChoices(kind: StopKind | undefined): Names {
  const { isOwner, organization } = useSession();
  const ofMany = { limit: 200 };
  const hasClients = kind === "agent" || kind === "api_client" || kind === "key_pair";
  const hasTools = kind === "app" || kind === "tool" || kind === "upstream";
  const everyones = {
    query: { everyone: true, ...ofMany },
    enabled: isOwner && (kind === "agent" || kind === "person"),
  };
  const agents = useList<ConnectedAgent>("/connected-agents", everyones).items ?? [];
  const members = useList<Member>("/members", { query: ofMany, enabled: kind === "person" }).items ?? [];
  const clients = useList<ApiClient>("/api-clients", { query: ofMany, enabled: hasClients }).items ?? [];
  const { items: tools = [], servers = [] } =
    useRead<ToolList>("/tools", { enabled: hasTools }).data?.body ?? ({} as Partial<ToolList>);
  switch (kind) {
    case "agent":
      return new Map([
        ...agents.map(({ client, name }): [string, string] => [client, name ?? client]),
        ...clients.map(({ clientId, name }): [string, string] => [clientId, name]),
      ]);
    case "person":
      return new Map([
        ...agents.flatMap(({ user, userName }): [string, string][] =>
          userName === undefined ? [] : [[user, userName]],
        ),
        ...members.map(({ userId, email }): [string, string] => [userId, email]),
      ]);
    case "api_client":
      return new Map(clients.map(({ clientId, name }) => [clientId, name]));
    case "key_pair":
      return new Map(
        clients.flatMap(({ name, keyPairs }) =>
          keyPairs.map(({ keyPairId, fingerprint }): [string, string] => [keyPairId, `${name}: ${fingerprint}`]),
        ),
      );
    case "organization":
      return new Map([[organization.organizationId, organization.name]]);
    case "app":
      return sameNames([...tools, ...servers].map(({ app }) => app));
    case "tool":
      return new Map(tools.map(({ app, localName, title }) => [`${app}/${localName}`, title ?? localName]));
    case "upstream":
      return new Map(servers.map(({ origin, app }) => [origin, app]));
    case undefined:
      return new Map();
  }
}

function sameNames(names: readonly string[]): Names {
  return new Map(names.map((name) => [name, name]));
}
