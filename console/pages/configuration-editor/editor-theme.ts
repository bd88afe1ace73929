import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Colours come from the Console's variables, which change with the scheme: one theme for light and dark. */
const frame = EditorView.theme({
  "&": { backgroundColor: "var(--cs-surface)", color: "var(--cs-text)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "2px solid var(--cs-accent)", outlineOffset: "-2px" },
  ".cm-scroller": {
    fontFamily: "var(--mantine-font-family-monospace)",
    lineHeight: "1.55",
    minHeight: "18rem",
    maxHeight: "65vh",
    overflow: "auto",
  },
  ".cm-content": { caretColor: "var(--cs-text)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--cs-text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--cs-accent-tint)",
  },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--cs-hover) 60%, transparent)" },
  ".cm-gutters": {
    backgroundColor: "var(--cs-surface-soft)",
    borderRight: "1px solid var(--cs-line)",
    color: "var(--cs-text-soft)",
  },
  ".cm-activeLineGutter": { backgroundColor: "var(--cs-active)", color: "var(--cs-text)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--cs-active)" },
  ".cm-searchMatch": { backgroundColor: "var(--cs-warn-tint)", outline: "1px solid var(--cs-warn)" },
  ".cm-searchMatch.cm-searchMatch-selected": { backgroundColor: "var(--cs-accent-tint)" },
  ".cm-selectionMatch": { backgroundColor: "var(--cs-active)" },
});

const around = EditorView.theme({
  ".cm-panels": {
    backgroundColor: "var(--cs-surface-soft)",
    borderColor: "var(--cs-line)",
    color: "var(--cs-text)",
    fontFamily: "var(--mantine-font-family)",
  },
  ".cm-textfield": {
    backgroundColor: "var(--cs-surface)",
    border: "1px solid var(--cs-line-strong)",
    borderRadius: "4px",
    color: "var(--cs-text)",
  },
  ".cm-button": {
    backgroundColor: "var(--cs-surface)",
    backgroundImage: "none",
    border: "1px solid var(--cs-line-strong)",
    borderRadius: "4px",
    color: "var(--cs-text)",
  },
  ".cm-panel.cm-search [name=close]": { color: "var(--cs-text)" },
  ".cm-tooltip": {
    backgroundColor: "var(--cs-surface)",
    border: "1px solid var(--cs-line-strong)",
    borderRadius: "6px",
    color: "var(--cs-text)",
    maxWidth: "min(32rem, 90vw)",
  },
  ".cm-tooltip-hover": { padding: "0.375rem 0.625rem" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mantine-font-family-monospace)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--cs-accent-tint)",
    color: "var(--cs-text)",
  },
  ".cm-completionDetail": { color: "var(--cs-text-soft)", fontStyle: "normal" },
  ".cm-completionInfo": { maxWidth: "24rem" },
  ".cm-help": { display: "grid", gap: "0.25rem", fontFamily: "var(--mantine-font-family)", fontSize: "0.8125rem" },
  ".cm-help code": { overflowWrap: "anywhere" },
  ".cm-diagnostic": { fontFamily: "var(--mantine-font-family)", overflowWrap: "anywhere" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--cs-bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--cs-warn)" },
});

const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--cs-accent-text)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--cs-good)" },
  { tag: [tags.keyword, tags.bool, tags.number, tags.labelName, tags.typeName], color: "var(--cs-warn)" },
  { tag: tags.comment, color: "var(--cs-text-soft)", fontStyle: "italic" },
  { tag: tags.invalid, color: "var(--cs-bad)" },
]);

export const editorTheme: Extension = [frame, around, syntaxHighlighting(highlighting)];
