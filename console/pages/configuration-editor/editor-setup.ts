import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, nextDiagnostic, previousDiagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  type HoverTooltipSource,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { editorTheme } from "./editor-theme.ts";

export interface EditorOptions {
  /** What screen readers call it. */
  readonly label: string;
  /** Id of the text that says how the keyboard leaves it. */
  readonly hintId: string;
  /** Lets the editor's style element in (`Content-Security-Policy`). */
  readonly nonce: string;
  readonly onChange: () => void;
  readonly complete: CompletionSource;
  readonly explain: HoverTooltipSource;
}

/** An editor for YAML. Tab indents, as everybody expects of one; after Escape it leaves, which CodeMirror does by itself. */
export function editorExtensions(options: EditorOptions): Extension {
  const { label, hintId, nonce, onChange, complete, explain } = options;
  return [
    EditorView.cspNonce.of(nonce),
    EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": hintId, spellcheck: "false" }),
    EditorView.lineWrapping,
    EditorView.updateListener.of(({ docChanged }) => {
      if (docChanged) onChange();
    }),
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    drawSelection(),
    history(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    closeBrackets(),
    search({ top: true }),
    highlightSelectionMatches(),
    yaml(),
    autocompletion({ override: [complete], icons: false }),
    hoverTooltip(explain),
    editorTheme,
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      { key: "F8", run: nextDiagnostic },
      { key: "Shift-F8", run: previousDiagnostic },
      ...defaultKeymap,
      indentWithTab,
    ]),
  ];
}
