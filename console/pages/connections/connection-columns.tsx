import { Button } from "@mantine/core";
import type { Connection } from "../../../lib/management/schemas/connections.ts";
import type { Column } from "../../parts/data-table.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { StatusBadge, type StatusTone } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import type { Names } from "../../parts/use-names.ts";
import classes from "./connection-columns.module.css";

type Columns = readonly Column<Connection>[];
type OnDisconnect = (connection: Connection) => void;

/** What a person sees of their own connections. */
export function ownColumns(names: Names, onDisconnect: OnDisconnect): Columns {
  return [appColumn(names), ACCOUNT, ...FACTS, disconnectColumn(onDisconnect)];
}

/** What an owner sees: whose each is, too. */
export function everyonesColumns(names: Names, onDisconnect: OnDisconnect): Columns {
  const person: Column<Connection> = {
    id: "person",
    header: "Person",
    width: "9rem",
    // The dialog shows the whole.
    cell: (connection) => (
      <div className={classes.cut}>
        <Named id={connection.person} names={names} isCut />
      </div>
    ),
  };
  return [appColumn(names), person, ACCOUNT, ...FACTS, disconnectColumn(onDisconnect)];
}

function appColumn(names: Names): Column<Connection> {
  return {
    id: "app",
    header: "App",
    isName: true,
    cell: ({ app, agent }) => (
      <div>
        <ForeignText text={app} />
        {agent !== undefined && (
          <div className={classes.words}>
            for <ForeignText text={names.get(agent) ?? agent} /> alone
          </div>
        )}
      </div>
    ),
  };
}

const ACCOUNT: Column<Connection> = {
  id: "account",
  header: "Account",
  // Scopes may be as long as addresses, and would leave names no room.
  width: "9rem",
  cell: ({ account, connector }) => (
    <div>
      {account && (
        <div>
          <ForeignText text={account.label ?? account.id} />
        </div>
      )}
      at <ForeignText text={connector} />
    </div>
  ),
};

const STATES: Readonly<Record<Connection["state"], readonly [StatusTone, string, string?]>> = {
  connected: ["good", "Connected"],
  uncertain: ["warn", "Uncertain", "The provider did not answer."],
  reconnect: ["bad", "Connect again", "The next call has the link."],
};

const FACTS: Columns = [
  {
    id: "scopes",
    header: "Scopes",
    cell: ({ scopes }) => (scopes.length === 0 ? <span>–</span> : <ForeignText text={scopes.join(" ")} />),
  },
  {
    id: "state",
    header: "State",
    width: "9.5rem",
    cell: ({ state }) => {
      const [tone, label, words] = STATES[state];
      return (
        <div>
          <StatusBadge tone={tone}>{label}</StatusBadge>
          {words !== undefined && <div className={classes.words}>{words}</div>}
        </div>
      );
    },
  },
  {
    id: "used",
    header: "Last used",
    width: "6.5rem",
    cell: ({ lastUsedAt }) => <Time value={lastUsedAt} format="relative" />,
  },
];

function disconnectColumn(onDisconnect: OnDisconnect): Column<Connection> {
  return {
    id: "disconnect",
    header: "Disconnect",
    isHeaderHidden: true,
    align: "end",
    width: "8rem",
    cell: (connection) => (
      <Button
        variant="default"
        size="xs"
        aria-label={`Disconnect ${visibleText(connection.app)} from ${visibleText(accountOf(connection))}`}
        onClick={() => onDisconnect(connection)}
      >
        Disconnect
      </Button>
    ),
  };
}

function accountOf({ account, connector }: Connection): string {
  return account?.label ?? account?.id ?? connector;
}
