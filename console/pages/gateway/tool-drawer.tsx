import { useRef } from "react";
import { Link } from "wouter";
import type { Tool } from "../../../lib/management/schemas/tools.ts";
import { CopyableId } from "../../parts/copyable-id.tsx";
import { DetailsDrawer } from "../../parts/details-drawer.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { StopButton } from "../stops/stop-button.tsx";
import { sentencesOf } from "./behaviour.ts";
import { lifetime } from "./lifetime.ts";
import { Scopes } from "./scopes.tsx";
import classes from "./tool-drawer.module.css";

/** All that is known of a tool. It stays while the drawer closes. */
export function ToolDrawer({ tool, onClose }: { readonly tool: Tool | undefined; readonly onClose: () => void }) {
  const last = useRef(tool);
  if (tool !== undefined) last.current = tool;
  const shown = last.current;
  return (
    <DetailsDrawer opened={tool !== undefined} title={shown?.name ?? ""} onClose={onClose}>
      {shown && <Details tool={shown} />}
    </DetailsDrawer>
  );
}

export const NOBODY = "Nobody may call it: no entry of authorization.inbound.tools names it";

function Details({ tool }: { readonly tool: Tool }) {
  const { name, localName, app, title, description, method, path, scopes, denied, exchange, annotations } = tool;
  return (
    <div className={classes.details}>
      {description !== undefined && (
        <div className={classes.description}>
          {paragraphs(description).map(({ key, text }) => (
            <p key={key}>
              <ForeignText text={text} />
            </p>
          ))}
        </div>
      )}
      <Facts
        facts={[
          { term: "Title", value: title && <ForeignText text={title} /> },
          { term: "Name for agents", value: <CopyableId id={name} label="Copy the tool's name" /> },
          { term: "Name in policies", value: localName === name ? undefined : <code>{localName}</code> },
          { term: "App", value: <ForeignText text={app} /> },
          { term: "Operation", value: <code>{`${method} ${path}`}</code> },
          {
            term: "Scopes an agent needs",
            value: <Scopes scopes={scopes} none={denied ? NOBODY : "None: any agent that may connect"} />,
          },
          { term: "A call", value: <Sentences sentences={sentencesOf(annotations)} /> },
        ]}
      />
      <h3 className={classes.heading}>Token toward the API</h3>
      {exchange === undefined ? (
        <p className={classes.words}>Calls carry no token of their own, so there is no lifetime.</p>
      ) : (
        <Facts
          facts={[
            { term: "Lives at most", value: lifetime(exchange.ttl) },
            { term: "For", value: <ForeignText text={exchange.audience} /> },
            { term: "Scopes", value: <Scopes scopes={exchange.scopes} /> },
            { term: "Names", value: MODE[exchange.mode] },
          ]}
        />
      )}
      <Link href={`/gateway/tools/${encodeURIComponent(name)}`}>Its page: arguments, answer, Try it</Link>
      <Link href={`/audit?${new URLSearchParams({ tool: name })}`}>Its calls in the audit log</Link>
      <div>
        <StopButton target={{ kind: "tool", id: `${app}/${localName}`, name }} label="Stop this tool" />
      </div>
    </div>
  );
}

export const MODE = {
  delegation: "the person, and the agent that acts for them",
  impersonation: "the person alone, as if they called themselves",
} as const;

function Sentences({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </>
  );
}

/** Line ends are part of a description, and no characters that hide. */
function paragraphs(text: string) {
  return text
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== "")
    .map((line, index) => ({ key: `${index}`, text: line }));
}
