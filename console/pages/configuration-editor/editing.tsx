import { Button } from "@mantine/core";
import { lazy, Suspense, useEffect, useId, useRef, useState } from "react";
import type { Deployment } from "../../../lib/management/schemas/deployment.ts";
import type { Checker, CheckState } from "../../configuration-check/checker.ts";
import { FILE } from "../../configuration-check/protocol.ts";
import { DownloadIcon } from "../../icons.tsx";
import { useAnnounce } from "../../parts/announcer.tsx";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { Note } from "../../parts/note.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { UnsavedChanges } from "../../parts/unsaved-changes.tsx";
import { TrialDialog } from "../configuration-trial/trial-dialog.tsx";
import { AppsPanel } from "./apps-panel.tsx";
import { CheckStatus } from "./check-status.tsx";
import type { EditorHandle } from "./code-editor.tsx";
import { CompareDialog } from "./compare-dialog.tsx";
import { DocumentsPanel } from "./documents-panel.tsx";
import { DraftNotes } from "./draft-notes.tsx";
import { DraftOrigin } from "./draft-origin.tsx";
import classes from "./editor.module.css";
import { EntriesPanels } from "./entries-panel.tsx";
import { MessageList } from "./message-list.tsx";
import { OperatorNote } from "./operator-note.tsx";
import { ABOUT, BACK, HIDDEN_SECRET, TITLE } from "./page-texts.ts";
import { PublishDialog } from "./publish-dialog.tsx";
import { useDraft } from "./use-draft.ts";
import { useInUse } from "./use-in-use.ts";
import { useSchema } from "./use-schema.ts";
import type { Start } from "./use-start.ts";

const CodeEditor = lazy(() => import("./code-editor.tsx"));

export interface EditingProps {
  readonly checker: Checker;
  readonly checks: CheckState;
  readonly start: Start;
  readonly deployment: Deployment;
  readonly nextRevision: number;
  /** Reads again what the editor begins with. */
  readonly onAnotherStart: () => Promise<Start | undefined>;
}

/** The editor with what is wrong, the documents that it needs, and what can be done with the text. */
export function Editing({ checker, checks, start, deployment, nextRevision, onAnotherStart }: EditingProps) {
  const announce = useAnnounce();
  const hintId = useId();
  const editor = useRef<EditorHandle>(null);
  const [saved, setSaved] = useState(start.text);
  const [text, setText] = useState(start.text);
  const [open, setOpen] = useState<"compare" | "publish" | "try">();
  const schema = useSchema(checker);
  const draft = useDraft(start, () => announce("Draft saved"));
  const unread = useInUse(checker, checks, start.inUse !== undefined);
  useEffect(() => {
    checker.change(text);
  }, [checker, text]);
  const isOperators = deployment.signing !== "service";
  const shown = start.inUse?.document;
  useEffect(() => {
    // Where operators sign, they write the secrets.
    if (!isOperators) checker.give({ keeps: shown ?? {} });
  }, [checker, isOperators, shown]);
  const isProposal = deployment.approvals === 2;
  const isReady = checks.result?.isValid === true && checks.isCurrent;
  const beginWith = async () => {
    const another = await onAnotherStart();
    if (another === undefined) return announce("The configuration could not be read again", { tone: "bad" });
    editor.current?.replace(another.text);
    setText(another.text);
    setSaved(another.text);
    draft.begin(another);
  };
  const save = () => draft.save(text, () => setSaved(text));
  return (
    <PageFrame
      title={TITLE}
      description={ABOUT}
      back={BACK}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<DownloadIcon size={14} />}
            onClick={() => saveFile(FILE, new Blob([text], { type: "application/yaml" }))}
          >
            Download
          </Button>
          <Button variant="default" disabled={!isReady || start.inUse === undefined} onClick={() => setOpen("compare")}>
            Compare
          </Button>
          <Button variant="default" disabled={!isReady} onClick={() => setOpen("try")}>
            Try
          </Button>
          <Button variant={isOperators ? "filled" : "default"} loading={draft.isPending} onClick={save}>
            Save draft
          </Button>
          {!isOperators && (
            <Button disabled={!isReady} onClick={() => setOpen("publish")}>
              {isProposal ? "Propose" : "Publish"}
            </Button>
          )}
        </>
      }
    >
      <UnsavedChanges isUnsaved={text !== saved} />
      <DraftNotes
        draft={draft}
        onReadAgain={() => void beginWith()}
        onOverwrite={() => draft.overwrite(text, () => setSaved(text))}
      />
      <DraftOrigin draft={draft} inUse={start.inUse} onDiscarded={() => void beginWith()} />
      {text.includes(HIDDEN_SECRET) && <HiddenSecretsNote isKept={!isOperators} />}
      <ProblemNote error={unread} title="What is in use could not be read" />
      {isOperators && <OperatorNote deployment={deployment.deployment} />}
      <Panel flush>
        <Suspense
          fallback={
            <div className={classes.state}>
              <SkeletonLines lines={12} />
            </div>
          }
        >
          <CodeEditor
            handle={editor}
            initial={start.text}
            label="Configuration, YAML"
            hintId={hintId}
            messages={checks.result?.messages ?? NONE}
            schema={schema}
            onChange={setText}
          />
        </Suspense>
        <CheckStatus checks={checks} checker={checker} />
        <p id={hintId} className={classes.hint}>
          Tab indents; Escape and then Tab leaves the editor. Ctrl+Space offers keys, F8 goes to the next mistake,
          Ctrl+F searches (⌘F on a Mac).
        </p>
      </Panel>
      {checks.result !== undefined && checks.result.messages.length > 0 && (
        <Panel flush title="Mistakes and warnings">
          <MessageList
            messages={checks.result.messages}
            onGoTo={(line, column) => editor.current?.goTo(line, column)}
          />
        </Panel>
      )}
      <AppsPanel
        checker={checker}
        checks={checks}
        text={text}
        onApply={(next, done) => {
          editor.current?.replace(next);
          announce(done);
        }}
      />
      <EntriesPanels
        checker={checker}
        checks={checks}
        text={text}
        onApply={(next, done) => {
          editor.current?.replace(next);
          announce(done);
        }}
      />
      <DocumentsPanel
        documents={checks.result?.documents}
        surroundings={checks.surroundings}
        onGive={checker.give}
        onProblem={(words) => announce(words, { tone: "bad" })}
      />
      <CompareDialog
        opened={open === "compare"}
        checker={checker}
        inUse={start.inUse}
        onClose={() => setOpen(undefined)}
      />
      <TrialDialog opened={open === "try"} checker={checker} onClose={() => setOpen(undefined)} />
      <PublishDialog
        opened={open === "publish"}
        checker={checker}
        inUse={start.inUse}
        revision={nextRevision}
        isProposal={isProposal}
        onClose={() => setOpen(undefined)}
        onPublished={() => {
          setSaved(text);
          draft.keep(text, isProposal ? start.inUse?.revision : nextRevision);
        }}
      />
    </PageFrame>
  );
}

const NONE: readonly never[] = [];

/** What stands in the place of secrets of the document. @property isKept whether publishing keeps those that are in use */
function HiddenSecretsNote({ isKept }: { readonly isKept: boolean }) {
  return (
    <Note tone={isKept ? "info" : "warn"} title="Secrets that stand in the document are not shown">
      Each stands as {HIDDEN_SECRET}
      {isKept ? ", and stays as it is in use. To change one, write " : ". Write "}a reference such as {"<vault.name>"}{" "}
      in its place, or the secret itself.
    </Note>
  );
}
