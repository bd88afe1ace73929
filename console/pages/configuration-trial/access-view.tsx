import type { AccessComparison, AccessGroup, ToolWords } from "../../configuration-trial/protocol.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import classes from "./trial.module.css";

export interface AccessViewProps {
  readonly found: AccessComparison;
  /** How many were compared. */
  readonly clients: number;
  /** There are others. */
  readonly hasMore: boolean;
  readonly most: number;
}

/** Who gains or loses which tools, in words. */
export function AccessView({ found, clients, hasMore, most }: AccessViewProps) {
  if ("problems" in found) {
    const { draft, inUse = [] } = found.problems;
    return (
      <>
        <Refused title="The draft cannot be tried" problems={draft} />
        <Refused title="What is in use cannot be tried" problems={inUse} />
      </>
    );
  }
  const { groups, unchanged, newTools, goneTools, servers } = found;
  return (
    <div className={classes.parts}>
      <p role="status" className={classes.verdict}>
        {groups.length === 0
          ? `Nothing changes for any of ${counted(clients, "API client")}.`
          : `Something changes for ${clients - unchanged} of ${counted(clients, "API client")}.`}
      </p>
      {hasMore && (
        <Note tone="warn" title={`There are more than ${most} API clients`}>
          The first {most} were compared.
        </Note>
      )}
      <Tools title="New tools" tools={newTools.map(plain)} />
      <Tools title="Tools that go" tools={goneTools.map(plain)} />
      {groups.slice(0, MOST_GROUPS).map((group) => (
        <Group key={group.clients[0]?.clientId} group={group} />
      ))}
      {groups.length > MOST_GROUPS && <p>And other changes for {groups.length - MOST_GROUPS} more groups.</p>}
      <p className={classes.quiet}>
        {servers.length > 0 &&
          `Not compared: tools of MCP servers, which list them for each caller when it asks (${servers.join(", ")}). `}
        What is stopped is not looked at. Which tools people may use depends on their tokens: explain a call for that.
      </p>
    </div>
  );
}

const MOST_GROUPS = 50;
/** Names that are shown of one list. */
const MOST_NAMES = 50;

function Group({ group: { clients, gained, lost, changed } }: { readonly group: AccessGroup }) {
  return (
    <section className={classes.group}>
      <h3 className={classes.heading}>
        <ForeignText text={namesOf(clients)} />
      </h3>
      <Tools title="Gained" tools={gained} />
      <Tools title="Lost" tools={lost} />
      <Tools title="Under other conditions" tools={changed} />
    </section>
  );
}

function Tools({ title, tools }: { readonly title: string; readonly tools: readonly ToolWords[] }) {
  if (tools.length === 0) return null;
  return (
    <details className={classes.tools} open={tools.length <= OPEN}>
      <summary>
        {title}: {counted(tools.length, "tool")}
      </summary>
      <ul>
        {tools.slice(0, MOST_NAMES).map(({ tool, words }) => (
          <li key={tool}>
            <code>
              <ForeignText text={tool} />
            </code>
            {words !== "" && (
              <>
                {" "}
                (<ForeignText text={words} />)
              </>
            )}
          </li>
        ))}
        {tools.length > MOST_NAMES && <li>and {counted(tools.length - MOST_NAMES, "more tool")}</li>}
      </ul>
    </details>
  );
}

/** Lists that are open at first have at most so many. */
const OPEN = 10;

function plain(tool: string): ToolWords {
  return { tool, words: "" };
}

/** Names that are told of a group. */
const NAMED = 5;

function namesOf(clients: AccessGroup["clients"]): string {
  const names = clients.slice(0, NAMED).map(({ name }) => name);
  const others = clients.length - names.length;
  return others === 0 ? names.join(", ") : `${names.join(", ")} and ${others} more`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;
}

function Refused({ title, problems }: { readonly title: string; readonly problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <Note tone="bad" isAlert title={title}>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>
            <ForeignText text={problem} />
          </li>
        ))}
      </ul>
    </Note>
  );
}
