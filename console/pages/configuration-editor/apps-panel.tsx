import { Button } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useSearchParams } from "wouter";
import type { ListedApp } from "../../configuration-check/protocol.ts";
import { PlusIcon } from "../../icons.tsx";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import classes from "./forms.module.css";
import type { FormContext } from "./use-proposal.ts";

const AddRestApiForm = lazy(() => import("./add-rest-api-form.tsx"));
const AddMcpServerForm = lazy(() => import("./add-mcp-server-form.tsx"));
const ToolsForm = lazy(() => import("./tools-form.tsx"));

type Opened = { readonly form: "restApi" | "mcpServer" } | { readonly form: "tools"; readonly index: number };

/** Forms that the address can ask for, with `?add=`. */
const ASKED: Readonly<Record<string, "restApi" | "mcpServer" | undefined>> = {
  "rest-api": "restApi",
  "mcp-server": "mcpServer",
};

/** Apps with tools, and forms that write what most people want to change of them. */
export function AppsPanel(page: Omit<FormContext, "onClose">) {
  const [parameters, setParameters] = useSearchParams();
  const asked = ASKED[parameters.get("add") ?? ""];
  const [opened, setOpened] = useState<Opened>({ form: asked ?? "restApi" });
  const [isOpen, setOpen] = useState(asked !== undefined);
  const close = () => {
    setOpen(false);
    // Whoever comes back to this address has added it.
    if (asked !== undefined) setParameters({}, { replace: true });
  };
  const open = (next: Opened) => {
    setOpened(next);
    setOpen(true);
  };
  const apps = page.checks.result?.apps ?? [];
  const listed = apps.map((app, index) => ({ app, index })).filter(({ app }) => app.type !== "other");
  const app = opened.form === "tools" ? apps[opened.index] : undefined;
  const context: FormContext = {
    ...page,
    onClose: close,
    onApply: (text, done) => {
      page.onApply(text, done);
      close();
    },
  };
  return (
    <Panel
      title="Apps"
      description="APIs and MCP servers behind the gateway. Forms change the text above; undo in the editor takes it back."
      actions={
        <>
          <Button
            variant="default"
            size="xs"
            leftSection={<PlusIcon size={14} />}
            onClick={() => open({ form: "restApi" })}
          >
            Add a REST API
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<PlusIcon size={14} />}
            onClick={() => open({ form: "mcpServer" })}
          >
            Add an MCP server
          </Button>
        </>
      }
    >
      {page.checks.result === undefined ? (
        <SkeletonLines lines={1} />
      ) : listed.length === 0 ? (
        <p className={classes.soft}>The text has none.</p>
      ) : (
        <ul className={classes.apps} aria-label="Apps">
          {listed.map(({ app: one, index }) => (
            <li key={`${index} ${one.name}`} className={classes.app}>
              <span className={classes.name}>
                <ForeignText text={one.name} />
              </span>
              <StatusBadge tone="neutral">{KIND[one.type]}</StatusBadge>
              <Button
                variant="default"
                size="xs"
                aria-label={`Tools of ${visibleText(one.name)}`}
                onClick={() => open({ form: "tools", index })}
              >
                Tools
              </Button>
            </li>
          ))}
        </ul>
      )}
      <FormDialog opened={isOpen} onClose={context.onClose} title={titleOf(opened, app)}>
        <Suspense fallback={<SkeletonLines lines={6} />}>{formOf(opened, app, context)}</Suspense>
      </FormDialog>
    </Panel>
  );
}

const KIND = { mcpBridge: "REST API", mcpProxy: "MCP server", other: "" } as const;

function titleOf({ form }: Opened, app: ListedApp | undefined): string {
  if (form === "restApi") return "Add a REST API";
  return form === "mcpServer" ? "Add an MCP server" : `Tools of ${visibleText(app?.name ?? "")}`;
}

function formOf(opened: Opened, app: ListedApp | undefined, context: FormContext): ReactNode {
  if (opened.form === "tools") {
    return app === undefined ? null : <ToolsForm {...context} app={app} index={opened.index} />;
  }
  return opened.form === "restApi" ? <AddRestApiForm {...context} /> : <AddMcpServerForm {...context} />;
}
