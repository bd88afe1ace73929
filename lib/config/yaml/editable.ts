import { type Document, type LineCounter, parseDocument, Scalar, visit } from "yaml";
import { unquotedPlaceholder } from "./placeholders.ts";

/** A document whose tree can be edited and printed again with its comments. Placeholders without quotes stay as they are written. */
export function editableDocument(text: string, lineCounter?: LineCounter): Document {
  const document: Document = parseDocument(text, {
    // What is wrong with the document has been told before.
    ...{ uniqueKeys: false, logLevel: "silent", customTags: (tags) => [...tags, PLACEHOLDER] },
    ...(lineCounter !== undefined && { lineCounter }),
  });
  visit(document, {
    Map: (_, node) => {
      const placeholder = unquotedPlaceholder(node);
      if (placeholder === undefined) return undefined;
      const source = node.range ? text.slice(node.range[0], node.range[1]) : placeholder;
      const scalar: Scalar = new Scalar(new Unquoted(source.includes("\n") ? placeholder : source));
      const { anchor, comment, commentBefore, range, spaceBefore } = node;
      return Object.assign(scalar, { anchor, comment, commentBefore, range, spaceBefore });
    },
  });
  return document;
}

/** Flow collections come out as `[a]` and `{a: b}`, and long lines stay long. */
export function printed(document: Document): string {
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** `{{ env.NAME }}` without quotes, which is a mapping inside a mapping to YAML. */
class Unquoted {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** How it is printed. Nothing is parsed as it. */
const PLACEHOLDER = {
  tag: "tag:yaml.org,2002:str",
  default: true,
  identify: (value: unknown) => value instanceof Unquoted,
  resolve: (text: string) => text,
  stringify: ({ value }: Scalar) => (value instanceof Unquoted ? value.source : ""),
} as const;
