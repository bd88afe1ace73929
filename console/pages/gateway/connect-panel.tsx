import { Button } from "@mantine/core";
import { useId, useState } from "react";
import { Link } from "wouter";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import { GatewayIcon } from "../../icons.tsx";
import { ClientChooser } from "../../mcp-clients/client-chooser.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import classes from "./connect-panel.module.css";

/** The address to give to agents, and what to do with it. */
export function ConnectPanel() {
  const { instance } = useSession();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  if (instance === undefined) {
    return (
      <Panel title="Connect an agent">
        <SkeletonLines lines={3} />
      </Panel>
    );
  }
  const [first, ...others] = instance.mcpURLs;
  if (first === undefined) return <NoGateway instance={instance} />;
  return (
    <Panel
      title="Connect an agent"
      description="Give agents this address; they find the sign-in and the tools from it."
      actions={
        <Button variant="default" size="xs" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide client configuration" : "Show client configuration"}
        </Button>
      }
    >
      <div className={classes.parts}>
        <div className={classes.part}>
          <CodeBlock code={first} label="MCP address" isWrapped />
          {others.map((url) => (
            <div key={url} className={classes.part}>
              <h3 className={classes.heading}>For agents that know HTTP+SSE only</h3>
              <CodeBlock code={url} label="Address for HTTP+SSE" isWrapped />
            </div>
          ))}
        </div>
        <p className={classes.words}>
          Agents that act for people sign them in at the authorization server. Programs on their own use a token of an{" "}
          <Link href="/api-clients">API client</Link>, asked for with this address as its resource. Give{" "}
          <Link href="/connect">this page</Link> to people who connect an agent of their own: it needs no account here.
        </p>
      </div>
      <div id={id}>
        {isOpen && (
          <div className={classes.configuration}>
            <ClientChooser url={first} level={3} />
          </div>
        )}
      </div>
    </Panel>
  );
}

function NoGateway({ instance }: { readonly instance: Instance }) {
  const { isOwner } = useSession();
  return (
    <Panel title="Connect an agent">
      <EmptyState
        icon={<GatewayIcon size={20} />}
        title="Agents cannot connect: the gateway is off"
        action={
          instance.isFirstOrganization && (
            <LinkButton href="/gateway/settings" variant="default">
              {isOwner ? "Open gateway settings" : "See gateway settings"}
            </LinkButton>
          )
        }
      >
        {instance.isFirstOrganization
          ? "Its address appears here as soon as it is on."
          : "Its address appears here as soon as an owner of the instance's first organization turns it on."}
      </EmptyState>
    </Panel>
  );
}
