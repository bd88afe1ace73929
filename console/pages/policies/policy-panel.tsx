import { Button } from "@mantine/core";
import { lazy, Suspense, useEffect, useId, useRef, useState } from "react";
import type { CheckMessage } from "../../configuration-check/protocol.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import type { Mistake, PolicyInUse, PolicySource } from "../../policy-test/protocol.ts";
import type { Tester } from "../../policy-test/tester.ts";
import type { EditorHandle } from "../configuration-editor/code-editor.tsx";
import classes from "../configuration-editor/editor.module.css";
import { MessageList } from "../configuration-editor/message-list.tsx";
import { DraftButton } from "./draft-button.tsx";
import { useKeptText } from "./kept-texts.ts";
import { RegoParts, useRegoParts } from "./rego-parts.tsx";

const CodeEditor = lazy(() => import("../configuration-editor/code-editor.tsx"));

export interface PolicyPanelProps {
  readonly tester: Tester;
  readonly app: string;
  /** Undefined: it is a new one. */
  readonly inUse: PolicyInUse | undefined;
  readonly language: PolicyInUse["language"];
  /** The configuration is here, so that its draft may be. */
  readonly canDraft: boolean;
  /** Undefined: what is there cannot be evaluated. */
  readonly onEdited: (source: PolicySource | undefined) => void;
}

/** The policy as text, with what is wrong at its lines. */
export function PolicyPanel({ tester, app, inUse, language, canDraft, onEdited }: PolicyPanelProps) {
  const hintId = useId();
  const editor = useRef<EditorHandle>(null);
  const begin = inUse?.text ?? (inUse === undefined ? BEGIN[language] : "");
  const [text, setText] = useKeptText(`${app}/${inUse?.place ?? language}`, begin);
  const [first] = useState(text);
  const [notDrafted, setNotDrafted] = useState<unknown>();
  const rego = useRegoParts(inUse);
  const source: PolicySource | undefined = language === "cel" ? { language, text } : rego.source;
  const { mistake, failed, isChecked } = useMistake(tester, source, onEdited);
  const messages = mistake?.at === undefined ? NONE : [messageOf(mistake, mistake.at)];
  const isChanged = text !== begin;
  return (
    <Panel
      flush
      title={language === "cel" ? "Expression" : "Policy in Rego"}
      description={
        inUse === undefined
          ? "A new one: beside it, the app is compared without it."
          : "As it is in use, until you edit it."
      }
      actions={
        <>
          <CopyButton value={text} label="Copy text" isWide />
          {isChanged && (
            <Button variant="default" onClick={() => editor.current?.replace(begin)}>
              Start again
            </Button>
          )}
          {canDraft && (inUse === undefined ? language === "cel" : inUse.text !== undefined) && (
            <DraftButton
              policy={{ app, text, ...(inUse && { path: inUse.path, from: inUse.text }) }}
              onFailed={setNotDrafted}
              isReady={isChanged && text.trim() !== "" && (language === "rego" || (isChecked && mistake === undefined))}
            />
          )}
        </>
      }
    >
      <Suspense
        fallback={
          <div className={classes.state}>
            <SkeletonLines lines={6} />
          </div>
        }
      >
        <CodeEditor
          handle={editor}
          initial={first}
          label={language === "cel" ? "Expression, CEL" : "Policy, Rego"}
          hintId={hintId}
          messages={messages}
          isPlain
          onChange={setText}
        />
      </Suspense>
      <div className={classes.status}>
        <span className={classes.state} role="status">
          <Status
            {...{ source, mistake, isChecked }}
            state={isChanged ? "Edited" : inUse === undefined ? "New" : "As in use"}
          />
        </span>
      </div>
      {messages.length > 0 && (
        <MessageList messages={messages} onGoTo={(line, column) => editor.current?.goTo(line, column)} />
      )}
      {mistake !== undefined && mistake.at === undefined && (
        <p className={classes.hint}>
          <ForeignText text={mistake.message} />
        </p>
      )}
      <ProblemNote error={notDrafted} title="The draft was not changed" />
      <ProblemNote error={failed} title="The policy could not be checked" />
      {language === "rego" && <RegoParts parts={rego} text={text} inUse={inUse} isChanged={isChanged} />}
      <p id={hintId} className={classes.hint}>
        Tab indents; Escape and then Tab leaves the editor. F8 goes to the next mistake.
      </p>
    </Panel>
  );
}

const BEGIN = {
  cel: 'request.mcp.tool.params.name != ""',
  rego: "package orchestrator\n\nimport rego.v1\n\ndefault result := false\n",
} as const;

const NONE: readonly CheckMessage[] = [];

function messageOf({ message }: Mistake, { line, column }: NonNullable<Mistake["at"]>): CheckMessage {
  return { file: "", path: "", tone: "mistake", isHere: true, line, column, message };
}

interface StatusProps {
  readonly source: PolicySource | undefined;
  readonly mistake: Mistake | undefined;
  readonly isChecked: boolean;
  /** Of the text, in words. */
  readonly state: string;
}

function Status({ source, mistake, isChecked, state }: StatusProps) {
  if (source === undefined) return <StatusBadge tone="warn">Not compiled yet</StatusBadge>;
  if (!isChecked) return <span className={classes.quiet}>Checking …</span>;
  if (mistake !== undefined) return <StatusBadge tone="bad">1 mistake</StatusBadge>;
  return (
    <>
      <StatusBadge tone="good">Valid</StatusBadge>
      {source.language === "cel" && <span className={classes.quiet}>{state}</span>}
    </>
  );
}

/** Milliseconds without a key before a text is checked. */
const PAUSE = 250;

/** What is wrong with a policy. Tells the page which one can be evaluated. */
function useMistake(
  tester: Tester,
  source: PolicySource | undefined,
  onEdited: (source: PolicySource | undefined) => void,
): { readonly mistake: Mistake | undefined; readonly failed: unknown; readonly isChecked: boolean } {
  const [checked, setChecked] = useState<{ readonly key: string; readonly mistake?: Mistake | undefined }>();
  const [failed, setFailed] = useState<unknown>();
  const key = JSON.stringify(source);
  const told = useRef(onEdited);
  told.current = onEdited;
  useEffect(() => {
    const asked: PolicySource | undefined = key && JSON.parse(key);
    told.current(undefined);
    if (asked === undefined) return;
    let isHere = true;
    const timer = setTimeout(() => {
      tester.ask({ kind: "check", source: asked }).then(
        (mistake) => {
          if (!isHere) return;
          setFailed(undefined);
          setChecked({ key, mistake });
          if (mistake === undefined) told.current(asked);
        },
        (error: unknown) => isHere && setFailed(error),
      );
    }, PAUSE);
    return () => {
      isHere = false;
      clearTimeout(timer);
    };
  }, [tester, key]);
  return { mistake: checked?.mistake, failed, isChecked: checked?.key === key };
}
