import type { ErrorCode } from "yaml";

const TEXT: Readonly<Partial<Record<ErrorCode, string>>> = {
  ALIAS_PROPS: "an alias cannot carry an anchor or a tag",
  BAD_ALIAS: "an alias names no anchor before it",
  BAD_DIRECTIVE: "a malformed directive",
  BAD_DQ_ESCAPE: "an escape that double-quoted text does not know",
  BAD_INDENT: "indentation that fits no level",
  BAD_SCALAR_START: "plain text cannot start like this; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a nested mapping where a key or a value on one line is expected",
  BLOCK_IN_FLOW: "a block inside [ ] or { }",
  DUPLICATE_KEY: "a key stands twice in one mapping",
  KEY_OVER_1024_CHARS: "a key of more than 1024 characters",
  MISSING_CHAR: "a missing character: a colon, comma, closing bracket or quote, or a space after one",
  MULTILINE_IMPLICIT_KEY: "a key over several lines",
  MULTIPLE_DOCS: "more than one YAML document",
  NON_STRING_KEY: "a key that is not text",
  RESOURCE_EXHAUSTION: "nested too deeply",
  TAB_AS_INDENT: "a tab as indentation; use spaces",
  TAG_RESOLVE_FAILED: "a tag; tags are not supported",
  UNEXPECTED_TOKEN: "text where none is expected; a value that starts with {{ or has more than one may need quotes",
};

/** Our own words for a syntax error: the parser's can quote the document, which may hold secrets. */
export function syntaxErrorText(code: ErrorCode): string {
  return `invalid YAML: ${TEXT[code] ?? "a malformed value"}`;
}
