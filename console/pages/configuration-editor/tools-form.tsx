import { useEffect, useState } from "react";
import type { AppTools, ListedApp, ServerTool, ToolChange, ToolSettings } from "../../configuration-check/protocol.ts";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { visibleText } from "../../parts/foreign-text.tsx";
import { DialogForm } from "../../parts/form-dialog.tsx";
import { Note } from "../../parts/note.tsx";
import { LookAtServer } from "./look-at-server.tsx";
import { ProposalNotes } from "./proposal-notes.tsx";
import { LeftOutOperations, ToolRows } from "./tool-rows.tsx";
import { ToolSettingsRow } from "./tool-settings-row.tsx";
import { type FormContext, useProposal } from "./use-proposal.ts";

export interface ToolsFormProps extends FormContext {
  readonly app: ListedApp;
  /** Its place in `apps`. */
  readonly index: number;
}

/** The tools of an app: which are offered, under which names, and what calls of each need. */
export default function ToolsForm({ app, index, ...context }: ToolsFormProps) {
  const { checker, checks, text, onClose } = context;
  const { surroundings } = checks;
  const { name } = app;
  const proposal = useProposal(context);
  const [server, setServer] = useState<readonly ServerTool[]>([]);
  const [found, setFound] = useState<AppTools>();
  const [failed, setFailed] = useState<Error>();
  const [changed, setChanged] = useState<ReadonlyMap<string, ToolSettings>>(new Map());
  useEffect(() => {
    let isHere = true;
    checker.ask({ kind: "tools", text, app: { index, name }, surroundings, server }).then(
      (tools) => isHere && setFound(tools),
      (error: Error) => isHere && setFailed(error),
    );
    return () => {
      isHere = false;
    };
  }, [checker, text, index, name, surroundings, server]);
  const submit = () => {
    const changes = (found?.tools ?? []).flatMap(({ settings: from }): readonly ToolChange[] => {
      const to = changed.get(from.pattern);
      return to === undefined || JSON.stringify(to) === JSON.stringify(from) ? [] : [{ from, to }];
    });
    if (changes.length === 0) return onClose();
    void proposal.propose(
      { kind: "tools", app: { index, name }, changes },
      `apps[${index}]`,
      `Tools of ${app.name} are changed in the text`,
    );
  };
  return (
    <DialogForm
      onSubmit={(event) => {
        event?.preventDefault();
        submit();
      }}
      submitLabel={proposal.isWarned ? "Apply it all the same" : "Apply"}
      isPending={proposal.isPending}
      problem={failed}
      problemTitle="The tools could not be read"
      onCancel={onClose}
    >
      {app.type === "mcpProxy" && app.server !== undefined && (
        <LookAtServer {...app.server} onAnswer={(answer) => answer.outcome === "answered" && setServer(answer.tools)} />
      )}
      {found === undefined && failed === undefined && <SkeletonLines lines={6} />}
      {found !== undefined && found.problems.length > 0 && (
        <Note tone="bad" title="The document of the app cannot be used">
          <p>{visibleText(found.problems[0] ?? "")}</p>
        </Note>
      )}
      {found !== undefined && found.problems.length === 0 && found.tools.length === 0 && (
        <p>
          {app.type === "mcpProxy"
            ? "The text names none of its tools. Look at the server to see them."
            : "It has none."}
        </p>
      )}
      {found !== undefined && found.tools.length > 0 && (
        <ToolRows
          label="Tools"
          tools={found.tools}
          nameOf={({ settings }) => settings.pattern}
          wordsOf={({ settings, title = "" }) =>
            `${settings.original} ${settings.pattern} ${settings.name ?? ""} ${title}`
          }
          row={(tool) => (
            <ToolSettingsRow
              tool={tool}
              settings={changed.get(tool.settings.pattern) ?? tool.settings}
              isRestApi={app.type === "mcpBridge"}
              hasTokens={found.hasTokens}
              onChange={(settings) => setChanged(new Map(changed).set(settings.pattern, settings))}
            />
          )}
        />
      )}
      {found !== undefined && <LeftOutOperations leftOut={found.leftOut} />}
      <ProposalNotes proposal={proposal} />
    </DialogForm>
  );
}
