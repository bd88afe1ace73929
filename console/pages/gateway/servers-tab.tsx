import type { McpServer } from "../../../lib/management/schemas/tools.ts";
import { GatewayIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { MEMBERS, Policies } from "./app-rules.tsx";
import { lifetime } from "./lifetime.ts";
import { Scopes } from "./scopes.tsx";
import classes from "./servers-tab.module.css";
import { MODE } from "./tool-drawer.tsx";
import type { ToolsAnswer } from "./tools-tab.tsx";

/** MCP servers behind the gateway, with what the configuration says of their tools. */
export function ServersTab({ tools }: { readonly tools: ToolsAnswer }) {
  return (
    <DataState
      data={tools.data?.body.servers}
      error={tools.error}
      refetch={() => void tools.refetch()}
      problemTitle="The MCP servers could not be read"
      empty={
        <Panel>
          <EmptyState icon={<GatewayIcon size={20} />} title="No MCP servers">
            Add an app of type <code>mcpProxy</code> with the server's URL to the configuration of this instance. Agents
            then find its tools here, too.
          </EmptyState>
        </Panel>
      }
    >
      {(servers) => (
        <div className={classes.servers}>
          <p className={classes.words}>
            A server tells its tools to whoever asks, and not the same to everybody. What the configuration wants of
            them is here; <em>Tools</em> reads the list as somebody.
          </p>
          {servers.map((server) => (
            <Server key={server.app} server={server} />
          ))}
        </div>
      )}
    </DataState>
  );
}

function Server({ server }: { readonly server: McpServer }) {
  const { app, origin, namespace, include, exclude, inbound, exchange, policies, members, pinned } = server;
  return (
    <Panel title={<ForeignText text={app} />} description={origin}>
      <Facts
        facts={[
          { term: "Names", value: <Namespace namespace={namespace} /> },
          { term: "Offered", value: include === undefined ? "All its tools" : <Names names={include} /> },
          { term: "Not offered", value: exclude === undefined ? "None" : <Names names={exclude} /> },
          { term: "Scopes an agent needs", value: <Inbound inbound={inbound} /> },
          { term: "People", value: MEMBERS[members] },
          { term: "Policies", value: <Policies policies={policies} /> },
          { term: "Versions", value: pinned ? "Only those that an owner has approved" : undefined },
          { term: "Token toward it", value: <Exchange exchange={exchange} /> },
        ]}
      />
    </Panel>
  );
}

function Namespace({ namespace }: Pick<McpServer, "namespace">) {
  if (namespace === "") return "As the server has them";
  return (
    <>
      With <code>{namespace}</code> in front
    </>
  );
}

function Names({ names }: { readonly names: readonly string[] }) {
  return <Scopes scopes={names} />;
}

function Inbound({ inbound }: Pick<McpServer, "inbound">) {
  if (inbound.length === 0) return "None: any agent that may connect";
  return (
    <dl className={classes.rules}>
      {inbound.map(({ name, scopes }) => (
        <div key={name} className={classes.rule}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>
            <Scopes scopes={scopes} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Exchange({ exchange }: Pick<McpServer, "exchange">) {
  if (exchange === undefined) return "Calls carry no token that is made for them";
  const { mode, audience, ttl, tools } = exchange;
  return (
    <>
      <p>
        For <ForeignText text={audience} />; it names {MODE[mode]}.
      </p>
      <dl className={classes.rules}>
        {tools.map(({ name, scopes, ttl: own }) => (
          <div key={name} className={classes.rule}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd className={classes.token}>
              <span>{`lives ${lifetime(own)}`}</span>
              <Scopes scopes={scopes} none="without scopes" />
            </dd>
          </div>
        ))}
        <div className={classes.rule}>
          <dt>{tools.length === 0 ? "All tools" : "Others"}</dt>
          <dd className={classes.token}>
            <span>{`lives ${lifetime(ttl)}`}</span>
            <Scopes scopes={[]} none="without scopes" />
          </dd>
        </div>
      </dl>
    </>
  );
}
