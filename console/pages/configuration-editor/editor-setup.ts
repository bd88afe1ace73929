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
import { type Extension, Prec } from "@codemirror/state";
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
  /** It is no YAML: nothing is coloured or offered. */
  readonly isPlain: boolean;
  readonly onChange: () => void;
  readonly complete: CompletionSource;
  readonly explain: HoverTooltipSource;
}

/** An editor for YAML, or for a plain text. Tab indents, as everybody expects of one; after Escape it leaves, which CodeMirror does by itself. */
export function editorExtensions(options: EditorOptions): Extension {
  const { label, hintId, nonce, isPlain, onChange, complete, explain } = options;
  return [
    EditorView.cspNonce.of(nonce),
    EditorView.contentAttributes.of({
      "aria-label": label,
      "aria-describedby": hintId,
      spellcheck: "false",
      tabindex: "0",
    }),
    EditorView.lineWrapping,
    EditorView.updateListener.of(({ docChanged }) => {
      if (docChanged) onChange();
    }),
    typingOverSelection,
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
    isPlain ? short : [yaml(), autocompletion({ override: [complete], icons: false }), hoverTooltip(explain)],
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

/** A policy has a few lines. */
const short = Prec.high(EditorView.theme({ ".cm-scroller": { minHeight: "8rem" } }));

/**
 * What is typed over a selection: Chromium by itself gives it the look of what was there as a `style` attribute, which the page's policy
 * forbids and reports.
 */
const typingOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event;
    if (inputType !== "insertText" || data === null || view.composing || view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(
      view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true }),
    );
    return true;
  },
});
