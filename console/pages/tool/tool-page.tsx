import { lazy, Suspense } from "react";
import { Link } from "wouter";
import type { ToolDetails } from "../../../lib/management/schemas/tools.ts";
import { path } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { GatewayIcon } from "../../icons.tsx";
import { DataState, SkeletonLines } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import { CallFacts } from "./call-facts.tsx";
import { SchemaTable } from "./schema-table.tsx";
import classes from "./tool-page.module.css";

const BACK = { href: "/gateway", label: "Tools and sessions" } as const;

const TryPanel = lazy(() => import("./try-panel.tsx"));

/** One tool of a REST API: what it takes, what it answers, who may call it, and a call of it. */
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
  const { name, title, description, inputSchema, outputSchema } = tool;
  return (
    <PageFrame
      title={visibleText(name)}
      heading={<ForeignText text={name} />}
      back={BACK}
      description={<Description texts={[title, description]} />}
      actions={<Link href={`/audit?${new URLSearchParams({ tool: name })}`}>Its calls in the audit log</Link>}
    >
      <Panel flush title="Arguments">
        <SchemaTable label="Arguments" schema={inputSchema} empty="It takes no arguments." />
      </Panel>
      <Panel flush title="Answer">
        {outputSchema === undefined ? (
          <p className={classes.alone}>The document does not say what it answers.</p>
        ) : (
          <SchemaTable label="Answer" schema={outputSchema} empty="Its members have no names." />
        )}
      </Panel>
      <Panel
        title="Calls"
        description="Who may make them, and what they carry to the API. Values of credentials are never shown."
      >
        <CallFacts tool={tool} />
      </Panel>
      {instance !== undefined && (
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <TryPanel tool={tool} instance={instance} />
        </Suspense>
      )}
    </PageFrame>
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
      No REST API of this organization has a tool <code>{visibleText(name)}</code>. Tools of MCP servers have no page:
      which ones there are depends on who asks.
    </EmptyState>
  );
}
