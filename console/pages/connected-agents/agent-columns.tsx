import { Button } from "@mantine/core";
import type { Connection } from "../../../lib/management/schemas/connections.ts";
import type { ConnectedAgent } from "../../../lib/management/schemas/consents.ts";
import type { Stop } from "../../../lib/management/schemas/stops.ts";
import type { Column } from "../../parts/data-table.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { type Names, namesWith } from "../../parts/use-names.ts";
import classes from "./agent-columns.module.css";

type Columns = readonly Column<ConnectedAgent>[];
type On = (agent: ConnectedAgent) => void;

/** What a person sees of the agents that they connected themselves. */
export function ownColumns(onEnd: On): Columns {
  return [AGENT, MAY, ...TIMES, actionsColumn("5rem", (agent) => <EndButton agent={agent} onEnd={onEnd} />)];
}

interface EveryonesActions {
  /** What keeps the agent out; undefined: nothing does. */
  readonly stopOf: (agent: ConnectedAgent) => Stop | undefined;
  /** The person's accounts at providers that the agent may use. */
  readonly accountsOf: (agent: ConnectedAgent) => readonly Connection[];
  readonly onEnd: On;
  readonly onStop: On;
  readonly onResume: (stop: Stop) => void;
}

/** What an owner sees: who connected each, too, and a way to stop it for everybody. */
export function everyonesColumns(
  names: Names,
  { stopOf, accountsOf, onEnd, onStop, onResume }: EveryonesActions,
): Columns {
  const person: Column<ConnectedAgent> = {
    id: "person",
    header: "Person",
    width: "9rem",
    // The dialog shows the whole.
    cell: (agent) => (
      <div className={classes.cut}>
        <Named id={agent.user} names={namesIn(agent, names)} isCut />
      </div>
    ),
  };
  const actions = actionsColumn("10.75rem", (agent) => (
    <div className={classes.actions}>
      <EndButton agent={agent} onEnd={onEnd} />
      <StopOrResume agent={agent} stop={stopOf(agent)} {...{ onStop, onResume }} />
    </div>
  ));
  const agent: Column<ConnectedAgent> = {
    ...AGENT,
    cell: (row) => (
      <div>
        {AGENT.cell(row)}
        {stopOf(row) && <StatusBadge tone="bad">Stopped</StatusBadge>}
      </div>
    ),
  };
  const may: Column<ConnectedAgent> = {
    ...MAY,
    cell: (row) => (
      <>
        <ScopeWords scopes={row.scopes} />
        {accountsOf(row).map(({ connectionId, app, account, connector }) => (
          <div key={connectionId} className={classes.words}>
            with <ForeignText text={account?.label ?? account?.id ?? "an account"} /> at{" "}
            <ForeignText text={connector} /> for <ForeignText text={app} />
          </div>
        ))}
      </>
    ),
  };
  return [agent, person, may, ...TIMES, actions];
}

/** What the agent calls itself, or what the instance knows it by. */
export function nameOf({ name, client }: ConnectedAgent): string {
  return name ?? client;
}

/** With what the person was called when they last signed in for the agent: accounts of connectors are no members. */
export function namesIn({ user, userName }: ConnectedAgent, names: Names): Names {
  return namesWith(names, userName === undefined ? undefined : { [user]: userName });
}

/** Scopes in words where they have some, as the page had them on which the person agreed. */
export function ScopeWords({ scopes }: { readonly scopes: readonly string[] }) {
  if (scopes.length === 0) return <span>Act for the person, without any further permission</span>;
  return (
    <ul className={classes.scopes}>
      {scopes.map((scope) => (
        <li key={scope}>{WORDS.get(scope) ?? <ForeignText text={scope} />}</li>
      ))}
    </ul>
  );
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["openid", "Know that it is the person"],
  ["profile", "See the profile"],
  ["email", "See the e-mail address"],
  ["offline_access", "Keep this access while the person is away"],
]);

const AGENT: Column<ConnectedAgent> = {
  id: "agent",
  header: "Agent",
  isName: true,
  cell: (agent) => (
    <div>
      <ForeignText text={nameOf(agent)} />
      {agent.hosts.length > 0 && (
        <div className={classes.words}>
          at <ForeignText text={agent.hosts.join(", ")} />
        </div>
      )}
    </div>
  ),
};

const MAY: Column<ConnectedAgent> = {
  id: "scopes",
  header: "May",
  cell: ({ scopes }) => <ScopeWords scopes={scopes} />,
};

const TIMES: Columns = [
  { id: "since", header: "Since", width: "7rem", cell: ({ createdAt }) => <Time value={createdAt} format="date" /> },
  {
    id: "used",
    header: "Last use",
    width: "7rem",
    cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} />,
  },
];

/** Milliseconds: a use is noted when the last note is older. */
const NOTED_EVERY = 3_600_000;

/** Not more exact than it is noted. */
function LastUse({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return <span>–</span>;
  if (Date.now() - Date.parse(at) < NOTED_EVERY) return <time dateTime={at}>Within the last hour</time>;
  return <Time value={at} format="relative" />;
}

function actionsColumn(width: string, cell: Column<ConnectedAgent>["cell"]): Column<ConnectedAgent> {
  return { id: "actions", header: "Actions", isHeaderHidden: true, align: "end", width, cell };
}

interface StopOrResumeProps extends Pick<EveryonesActions, "onStop" | "onResume"> {
  readonly agent: ConnectedAgent;
  readonly stop: Stop | undefined;
}

function StopOrResume({ agent, stop, onStop, onResume }: StopOrResumeProps) {
  const word = stop === undefined ? "Stop" : "Resume";
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={`${word} ${visibleText(nameOf(agent))} for everybody`}
      onClick={() => (stop === undefined ? onStop(agent) : onResume(stop))}
    >
      {word}
    </Button>
  );
}

function EndButton({ agent, onEnd }: { readonly agent: ConnectedAgent; readonly onEnd: On }) {
  return (
    <Button variant="default" size="xs" aria-label={`End ${visibleText(nameOf(agent))}`} onClick={() => onEnd(agent)}>
      End
    </Button>
  );
}
