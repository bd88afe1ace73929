import { isolateHistory } from "@codemirror/commands";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useMantineStyleNonce } from "@mantine/core";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import type { CheckMessage } from "../../configuration-check/protocol.ts";
import { completionSource } from "./completion.ts";
import { diagnosticsOf } from "./diagnostics.ts";
import { editorExtensions } from "./editor-setup.ts";
import { hoverSource } from "./hover.ts";
import type { Schema } from "./schema-at.ts";

export interface EditorHandle {
  readonly text: () => string;
  /** Puts another text in its place; one undo takes it back. */
  readonly replace: (text: string) => void;
  /** Puts the cursor and the focus there; lines and columns from 1. */
  readonly goTo: (line: number, column: number) => void;
}

export interface CodeEditorProps {
  readonly handle: Ref<EditorHandle>;
  /** What it begins with; later ones are not looked at. */
  readonly initial: string;
  readonly label: string;
  readonly hintId: string;
  readonly messages: readonly CheckMessage[];
  /** Of the configuration; absent: nothing is offered or explained. */
  readonly schema?: Schema | undefined;
  /** YAML unless stated. */
  readonly isPlain?: boolean;
  readonly onChange: (text: string) => void;
}

/** A text such as the whole configuration, or a policy, with what is wrong at its lines. */
export default function CodeEditor({ handle, messages, schema, onChange, ...begun }: CodeEditorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const nonce = useMantineStyleNonce();
  /** What the editor, which is made once, has to find as it is then. */
  const current = useRef({ onChange, schema });
  current.current = { onChange, schema };
  const { initial, label, hintId, isPlain = false } = begun;
  const first = useRef({ initial, label, hintId, isPlain, nonce: nonce?.() ?? "" });
  useEffect(() => {
    if (parent.current === null) return;
    const { initial: doc, ...shown } = first.current;
    const extensions = editorExtensions({
      ...shown,
      onChange: () => current.current.onChange(made.state.doc.toString()),
      complete: completionSource(() => current.current.schema),
      explain: hoverSource(() => current.current.schema),
    });
    const made = new EditorView({ parent: parent.current, state: EditorState.create({ doc, extensions }) });
    view.current = made;
    return () => {
      first.current.initial = made.state.doc.toString();
      made.destroy();
      view.current = null;
    };
  }, []);
  useEffect(() => {
    const { current: made } = view;
    if (made !== null) made.dispatch(setDiagnostics(made.state, diagnosticsOf(made.state.doc, messages)));
  }, [messages]);
  useImperativeHandle(handle, () => ({
    text: () => view.current?.state.doc.toString() ?? first.current.initial,
    replace: (text) => {
      const { current: made } = view;
      if (made === null) return;
      const changes = changeTo(made.state.doc.toString(), text);
      made.dispatch({
        ...{ changes, annotations: isolateHistory.of("full") },
        effects: EditorView.scrollIntoView(changes.from, { y: "center" }),
      });
    },
    goTo: (line, column) => {
      const { current: made } = view;
      if (made === null) return;
      const place = made.state.doc.line(Math.min(Math.max(line, 1), made.state.doc.lines));
      const anchor = Math.min(place.from + column - 1, place.to);
      made.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      made.focus();
    },
  }));
  return <div ref={parent} />;
}

/** What differs between two texts as one change: the rest keeps its marks and folds. */
function changeTo(before: string, after: string) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === after.at(-1 - same)) same++;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
