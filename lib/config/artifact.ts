import type { Catalog } from "../bridge/catalog.ts";
import { type Path, pathText } from "./path.ts";

/**
 * The compiled configuration: what `countersign compile` writes for the edge and what Node keeps in memory. Everything
 * that needs the files is done; environment and secrets are filled in at run time.
 */
export interface ConfigurationArtifact {
  readonly format: 1;
  /** Name of the YAML file, for messages. */
  readonly source: string;
  /** The document as plain data, with null where a placeholder stands. Inline OpenAPI texts are left out. */
  readonly document: unknown;
  readonly placeholders: readonly Placeholder[];
  /** Line and column of each value, by path text. */
  readonly positions: Readonly<Record<string, readonly [number, number]>>;
  /** By app name. */
  readonly catalogs: Readonly<Record<string, Catalog>>;
}

/** A scalar that is put together at run time. */
export interface Placeholder {
  readonly path: Path;
  readonly parts: readonly PlaceholderPart[];
  readonly line: number;
  readonly column: number;
}

export type PlaceholderPart = { readonly text: string } | { readonly env: string } | { readonly secret: string };

/** How each placeholder is written in the document, by path text; values are never shown. */
export function writtenPlaceholders(placeholders: readonly Placeholder[]): ReadonlyMap<string, string> {
  return new Map(placeholders.map((placeholder) => [pathText(placeholder.path), placeholderText(placeholder)]));
}

function placeholderText(placeholder: Placeholder): string {
  return placeholder.parts
    .map((part) => ("text" in part ? part.text : "env" in part ? `{{ env.${part.env} }}` : `<${part.secret}>`))
    .join("");
}
