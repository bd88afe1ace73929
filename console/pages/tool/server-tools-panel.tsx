import { TextInput } from "@mantine/core";
import type { Tool } from "@modelcontextprotocol/client";
import { useState } from "react";
import { Link } from "wouter";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import type { ToolList as Configured, McpServer } from "../../../lib/management/schemas/tools.ts";
import { SearchIcon } from "../../icons.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { effectOf } from "../gateway/behaviour.ts";
import { Breakable } from "../gateway/breakable.tsx";
import { Pager, rowsOf } from "../gateway/pager.tsx";
import { keyOfCaller, useCaller } from "./caller-choice.tsx";
import { ListReading } from "./list-reading.tsx";
import { isSearchList } from "./search-list.ts";
import classes from "./server-tools.module.css";
import { trialObstacle } from "./trial-gate.tsx";
import { type ReadList, useToolList } from "./use-tool-list.ts";

export interface ServerToolsPanelProps {
  readonly instance: Instance;
  readonly configured: Configured;
}

/** Tools of MCP servers, as the gateway lists them for whoever is chosen. */
export default function ServerToolsPanel({ instance, configured }: ServerToolsPanelProps) {
  const obstacle = trialObstacle(instance);
  return (
    <Panel
      title="Tools of MCP servers"
      description="A server tells its tools to whoever asks, and not the same to everybody. Read the list as yourself or as an API client, as an agent would; its token is recorded under your name as a trial."
    >
      {obstacle ?? <Reading configured={configured} />}
    </Panel>
  );
}

function Reading({ configured }: Pick<ServerToolsPanelProps, "configured">) {
  const choosing = useCaller();
  const reading = useToolList(choosing.caller);
  return (
    <div className={classes.parts}>
      <ListReading choosing={choosing} reading={reading} servers={configured.servers} />
      {reading.list !== undefined && <ReadTools list={reading.list} configured={configured} />}
    </div>
  );
}

interface Row {
  readonly tool: Tool;
  /** Undefined: several may have it. */
  readonly app: string | undefined;
  readonly as: string;
}

function ReadTools({ list, configured }: { readonly list: ReadList } & Pick<ServerToolsPanelProps, "configured">) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(1);
  const { answer, caller } = list;
  if (answer.outcome === "refused") return null;
  if (isSearchList(answer.tools)) {
    return (
      <Note title="The gateway lists tools to search with">
        There are so many tools that this caller gets <code>search_tools</code> instead of all of them. A tool has its
        page all the same: <code>/console/gateway/tools/</code> and its name.
      </Note>
    );
  }
  const rest = new Set(configured.items.map(({ name }) => name));
  const rows = answer.tools
    .filter(({ name }) => !rest.has(name))
    .map((tool): Row => ({ tool, app: appOf(tool.name, configured.servers), as: keyOfCaller(caller) }));
  const without = configured.servers.filter(({ app }) => rows.every((row) => row.app !== app));
  const found = rows.filter((row) => hasWords(row, text));
  const { shown, page } = rowsOf(found, at);
  return (
    <>
      {without.length > 0 && answer.unlisted.length === 0 && rows.every(({ app }) => app !== undefined) && (
        <p className={classes.quiet}>
          No tools of <ForeignText text={without.map(({ app }) => app).join(", ")} /> are there for this caller.
        </p>
      )}
      {rows.length > FEW && (
        <TextInput
          className={classes.find}
          type="search"
          aria-label="Find tools of MCP servers"
          placeholder="Name, app, words"
          leftSection={<SearchIcon size={14} />}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAt(1);
          }}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {found.length > 0 && (
        <div className={classes.table}>
          <DataTable label="Tools of MCP servers" columns={COLUMNS} rows={shown} keyOf={({ tool }) => tool.name} />
        </div>
      )}
      {found.length === 0 && rows.length > 0 && (
        <EmptyState title="No tool matches">Every word has to occur.</EmptyState>
      )}
      <Pager count={found.length} page={page} one="tool of an MCP server" many="tools of MCP servers" onPage={setAt} />
    </>
  );
}

/** So many are seen at once. */
const FEW = 10;

function hasWords({ tool: { name, title, description }, app }: Row, text: string): boolean {
  const whole = [name, title, description, app].join("\n").toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}

/** The longest namespace that fits owns a name; without one it may be of any app that has none. */
function appOf(name: string, servers: readonly McpServer[]): string | undefined {
  const [longest] = servers
    .filter(({ namespace }) => namespace !== "" && name.startsWith(namespace))
    .toSorted((one, other) => other.namespace.length - one.namespace.length);
  if (longest !== undefined) return longest.app;
  const bare = servers.filter(({ namespace }) => namespace === "");
  return bare.length === 1 ? bare[0]?.app : undefined;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "name",
    header: "Tool",
    isName: true,
    width: "30%",
    cell: ({ tool: { name }, as }) => (
      <Link href={`/gateway/tools/${encodeURIComponent(name)}?${new URLSearchParams({ as })}`} className={classes.name}>
        <Breakable text={visibleText(name)} />
      </Link>
    ),
  },
  { id: "app", header: "App", width: "14%", cell: ({ app }) => (app === undefined ? "–" : <ForeignText text={app} />) },
  {
    id: "what",
    header: "What it says of itself",
    cell: ({ tool: { title, description } }) => {
      const words = [title, description].filter((text) => text !== undefined && text !== "").join(": ");
      return words === "" ? "–" : <ForeignText text={words.replace(/\s+/g, " ").slice(0, LONGEST)} />;
    },
  },
  {
    id: "effect",
    header: "Effect",
    width: "7rem",
    cell: ({ tool: { annotations = {} } }) => {
      const { label, tone } = effectOf(annotations);
      return <StatusBadge tone={tone}>{label}</StatusBadge>;
    },
  },
];

/** Characters of a description in a row; the page of the tool has all. */
const LONGEST = 300;
