import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";
import { useSession } from "../../session/context.ts";
import classes from "./client-facts.module.css";
import { lastUseOf } from "./key-pairs.ts";
import { LastUsed } from "./last-used.tsx";

export function ClientFacts({ client }: { readonly client: ApiClient }) {
  const { instance } = useSession();
  const { clientId, scopes, resources, createdAt, updatedAt } = client;
  const audiences = [...(instance === undefined ? [] : [instance.managementAudience]), ...resources];
  return (
    <Panel title="Details">
      <Facts
        facts={[
          {
            term: "Client ID",
            value: (
              <span className={classes.id}>
                <code>{clientId}</code>
                <CopyButton value={clientId} label="Copy client ID" />
              </span>
            ),
          },
          { term: "Permissions", about: "scope", value: scopes.length === 0 ? "None" : <Codes texts={scopes} /> },
          { term: "Audiences", value: <Codes texts={audiences} /> },
          { term: "Last token", value: <LastUsed hour={lastUseOf(client.keyPairs)} /> },
          { term: "Created", value: <Time value={createdAt} /> },
          { term: "Changed", value: createdAt === updatedAt ? undefined : <Time value={updatedAt} /> },
        ]}
      />
    </Panel>
  );
}

function Codes({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ul className={classes.codes}>
      {texts.map((text) => (
        <li key={text}>
          <code>
            <ForeignText text={text} />
          </code>
        </li>
      ))}
    </ul>
  );
}
