import { lazy, type ReactNode, Suspense, useState } from "react";
import { Link } from "wouter";
import type { ToolDetails } from "../../../lib/management/schemas/tools.ts";
import { path } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { GatewayIcon } from "../../icons.tsx";
import { DataState, SkeletonLines } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Note } from "../../parts/note.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import { CallFacts } from "./call-facts.tsx";
import { keyOfCaller } from "./caller-choice.tsx";
import { SchemaTable } from "./schema-table.tsx";
import type { ListedTool } from "./server-tool-panel.tsx";
import classes from "./tool-page.module.css";
import type { CallableTool } from "./try-panel.tsx";

const BACK = { href: "/gateway", label: "Tools and sessions" } as const;

const TryPanel = lazy(() => import("./try-panel.tsx"));
const ServerToolPanel = lazy(() => import("./server-tool-panel.tsx"));

/** One tool: what it takes, what it answers, who may call it, and a call of it. */
export function ToolPage({ name }: { readonly name: string }) {
  const tool = useRead<ToolDetails>(path`/tools/${name}`);
  if (tool.data !== undefined) return <Details tool={tool.data.body} />;
  return (
    <PageFrame title="Tool" back={BACK}>
      <Panel>
        {tool.error?.status === 404 ? (
          <Missing name={name} />
        ) : (
          <DataState
            data={undefined}
            error={tool.error}
            refetch={() => void tool.refetch()}
            problemTitle="The tool could not be read"
          >
            {() => null}
          </DataState>
        )}
      </Panel>
    </PageFrame>
  );
}

function Details({ tool }: { readonly tool: ToolDetails }) {
  const { instance } = useSession();
  const { name, inputSchema } = tool;
  if (inputSchema === undefined) return <ServerTool tool={tool} />;
  return (
    <ToolFrame name={name} texts={[tool.title, tool.description]}>
      <SchemaPanels tool={{ ...tool, inputSchema }} silence="The document does not say what it answers." />
      <CallsPanel>
        <CallFacts tool={tool} />
      </CallsPanel>
      {instance !== undefined && (
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <TryPanel tool={{ ...tool, inputSchema }} instance={instance} />
        </Suspense>
      )}
    </ToolFrame>
  );
}

/** A tool of an MCP server: what the configuration says of it, and what the server tells whoever asks. */
function ServerTool({ tool }: { readonly tool: ToolDetails }) {
  const { instance } = useSession();
  const [listed, setListed] = useState<ListedTool>();
  const { name, app, server } = tool;
  const shown = { ...tool, ...listed?.tool };
  const others = server?.others ?? [];
  return (
    <ToolFrame name={name} texts={[shown.title, shown.description]}>
      {others.length > 0 && (
        <Note title="Other servers may have a tool of this name">
          Of <ForeignText text={[app, ...others].join(", ")} />, the first that lists it is called. What is said below
          of calls is what holds for <ForeignText text={app} />.
        </Note>
      )}
      {instance !== undefined && (
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <ServerToolPanel tool={tool} instance={instance} onListed={setListed} />
        </Suspense>
      )}
      {listed?.isTold && <SchemaPanels tool={listed.tool} silence="The server does not say what it answers." />}
      <CallsPanel>
        <CallFacts tool={shown} isListed={listed?.isTold ?? false} />
      </CallsPanel>
      {instance !== undefined && listed !== undefined && (
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <TryPanel
            key={keyOfCaller(listed.caller)}
            tool={{ ...tool, ...listed.tool }}
            instance={instance}
            caller={listed.caller}
          />
        </Suspense>
      )}
    </ToolFrame>
  );
}

interface ToolFrameProps {
  readonly name: string;
  /** Title and description. */
  readonly texts: readonly (string | undefined)[];
  readonly children: ReactNode;
}

function ToolFrame({ name, texts, children }: ToolFrameProps) {
  return (
    <PageFrame
      title={visibleText(name)}
      heading={<ForeignText text={name} />}
      back={BACK}
      description={<Description texts={texts} />}
      actions={<Link href={`/audit?${new URLSearchParams({ tool: name })}`}>Its calls in the audit log</Link>}
    >
      {children}
    </PageFrame>
  );
}

interface SchemaPanelsProps {
  readonly tool: Pick<CallableTool, "inputSchema" | "outputSchema">;
  /** Said where it tells no schema of its answer. */
  readonly silence: string;
}

function SchemaPanels({ tool: { inputSchema, outputSchema }, silence }: SchemaPanelsProps) {
  return (
    <>
      <Panel flush title="Arguments">
        <SchemaTable label="Arguments" schema={inputSchema} empty="It takes no arguments." />
      </Panel>
      <Panel flush title="Answer">
        {outputSchema === undefined ? (
          <p className={classes.alone}>{silence}</p>
        ) : (
          <SchemaTable label="Answer" schema={outputSchema} empty="Its members have no names." />
        )}
      </Panel>
    </>
  );
}

function CallsPanel({ children }: Pick<ToolFrameProps, "children">) {
  return (
    <Panel title="Calls" description="Who may make them, and what they carry. Values of credentials are never shown.">
      {children}
    </Panel>
  );
}

/** Title and description, without what is said twice. */
function Description({ texts }: { readonly texts: readonly (string | undefined)[] }) {
  const lines = [
    ...new Set(texts.flatMap((text) => (text ?? "").split(/[\r\n]+/)).filter((line) => line.trim() !== "")),
  ];
  return (
    <div className={classes.description}>
      {lines.map((line) => (
        <p key={line}>
          <ForeignText text={line} />
        </p>
      ))}
    </div>
  );
}

function Missing({ name }: { readonly name: string }) {
  return (
    <EmptyState
      icon={<GatewayIcon size={20} />}
      title="There is no such tool"
      action={
        <LinkButton href="/gateway" variant="default">
          All tools
        </LinkButton>
      }
    >
      No app of this organization has a tool <code>{visibleText(name)}</code>, or may have one. A name of an MCP
      server's tool that was cut to 64 characters has no page.
    </EmptyState>
  );
}
