import type { Tool } from "@modelcontextprotocol/client";
import { useEffect } from "react";
import { useSearchParams } from "wouter";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import type { ToolDetails } from "../../../lib/management/schemas/tools.ts";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import { type ChosenCaller, useCaller } from "./caller-choice.tsx";
import { ListReading } from "./list-reading.tsx";
import type { Schema } from "./schema.ts";
import { isSearchList } from "./search-list.ts";
import { trialObstacle } from "./trial-gate.tsx";
import classes from "./try.module.css";
import { useToolList } from "./use-tool-list.ts";

/** What a server tells of its tool. */
export interface ListedTool {
  readonly caller: ChosenCaller;
  readonly tool: Pick<ToolDetails, "title" | "description" | "outputSchema" | "annotations"> & {
    readonly inputSchema: Schema;
  };
  /** False: the gateway lists tools to search with, so that the page does not know what it takes. */
  readonly isTold: boolean;
}

export interface ServerToolPanelProps {
  readonly tool: ToolDetails;
  readonly instance: Instance;
  /** Undefined: whoever is chosen was not told of it. */
  readonly onListed: (listed: ListedTool | undefined) => void;
}

/** Asks the gateway for the tool, as whoever is chosen. */
export default function ServerToolPanel(props: ServerToolPanelProps) {
  const obstacle = trialObstacle(props.instance);
  return (
    <Panel
      title="What its server says of it"
      description="A server tells its tools to whoever asks, and not the same to everybody. Read the list to see what this one takes, and to try it."
    >
      {obstacle ?? <Asking {...props} />}
    </Panel>
  );
}

function Asking({ tool: { name, app, credential }, onListed }: ServerToolPanelProps) {
  const [query] = useSearchParams();
  const choosing = useCaller(query.get("as") ?? undefined);
  const reading = useToolList(choosing.caller);
  const { list } = reading;
  const answer = list?.answer.outcome === "listed" ? list.answer : undefined;
  const found = answer?.tools.find((one) => one.name === name);
  const isSearched = answer !== undefined && isSearchList(answer.tools);
  useEffect(() => {
    if (list === undefined || (found === undefined && !isSearched)) onListed(undefined);
    else onListed({ caller: list.caller, tool: toldBy(found), isTold: found !== undefined });
  }, [list, found, isSearched, onListed]);
  return (
    <div className={classes.parts}>
      <ListReading
        choosing={choosing}
        reading={reading}
        servers={[{ app, credential }]}
        isFound={found !== undefined}
      />
      {isSearched && (
        <Note title="The gateway lists tools to search with">
          There are so many tools that this caller gets <code>search_tools</code> instead of all of them. You can call
          this one with arguments that you write.
        </Note>
      )}
      {answer !== undefined && found === undefined && !isSearched && (
        <Note tone="warn" title="It is not in this list">
          Its server has no such tool for this caller, has not listed its tools, or a policy keeps it out of lists.
        </Note>
      )}
    </div>
  );
}

function toldBy(found: Tool | undefined): ListedTool["tool"] {
  const { title, description, inputSchema = ANYTHING, outputSchema, annotations = {} } = found ?? {};
  const { readOnlyHint, idempotentHint, destructiveHint, openWorldHint } = annotations;
  const hints = { readOnlyHint, idempotentHint, destructiveHint, openWorldHint };
  return {
    inputSchema,
    annotations: Object.fromEntries(Object.entries(hints).filter(([, hint]) => hint !== undefined)),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(outputSchema !== undefined && { outputSchema }),
  };
}

const ANYTHING: Schema = { type: "object" };
