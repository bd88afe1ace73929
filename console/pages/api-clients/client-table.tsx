import { Link } from "wouter";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { lastUseOf } from "../api-client/key-pairs.ts";
import { LastUsed } from "../api-client/last-used.tsx";
import classes from "./client-table.module.css";

export function ClientTable({ clients }: { readonly clients: readonly ApiClient[] }) {
  return <DataTable label="API clients" columns={COLUMNS} rows={clients} keyOf={({ clientId }) => clientId} />;
}

function Name({ client }: { readonly client: ApiClient }) {
  return (
    <div className={classes.name}>
      <Link href={`/api-clients/${encodeURIComponent(client.clientId)}`}>
        <ForeignText text={client.name} />
      </Link>
      {client.description !== "" && (
        <div className={classes.description}>
          <ForeignText text={client.description.replaceAll(/\s+/g, " ")} isCut />
        </div>
      )}
    </div>
  );
}

function ClientId({ client: { clientId, name } }: { readonly client: ApiClient }) {
  return (
    <span className={classes.id}>
      <code>{clientId}</code>
      <CopyButton value={clientId} label={`Copy client ID of ${visibleText(name)}`} />
    </span>
  );
}

function KeyPairs({ client }: { readonly client: ApiClient }) {
  const active = client.keyPairs.filter(({ status }) => status === "active").length;
  return active === 0 ? <StatusBadge tone="warn">None active</StatusBadge> : <span>{active} active</span>;
}

const COLUMNS: readonly Column<ApiClient>[] = [
  { id: "name", header: "Name", isName: true, cell: (client) => <Name client={client} /> },
  { id: "clientId", header: "Client ID", width: "24rem", cell: (client) => <ClientId client={client} /> },
  { id: "keyPairs", header: "Key pairs", width: "8rem", cell: (client) => <KeyPairs client={client} /> },
  {
    id: "lastToken",
    header: "Last token",
    width: "6.5rem",
    cell: ({ keyPairs }) => <LastUsed hour={lastUseOf(keyPairs)} />,
  },
  {
    id: "created",
    header: "Created",
    width: "7rem",
    cell: ({ createdAt }) => <Time value={createdAt} format="date" />,
  },
];
