import type { JsonObject } from "../../kernel/json.ts";
import type { ParamHeader, ToolAnnotations } from "../../openapi/catalog.ts";
import type { ListKind } from "./kinds.ts";
import type { Malformed } from "./malformed.ts";
import type { ReadList } from "./read-list.ts";
import type { ToolVersion } from "./tool-version.ts";

/** A prompt, resource or template of an upstream. */
export interface UpstreamEntry {
  /** The upstream's name, URI or URI template. */
  readonly upstreamName: string;
  /** The same as agents see it. */
  readonly name: string;
  /** The upstream's, all of it, with names and URIs as agents see them. */
  readonly definition: JsonObject;
}

/** A tool of an upstream, with what decisions and searches look at. */
export interface UpstreamTool extends UpstreamEntry {
  /** The name that policies see: the upstream's. */
  readonly localName: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations: ToolAnnotations;
  /** Arguments that requests repeat in headers; absent: none. */
  readonly paramHeaders?: readonly ParamHeader[];
  /** As the upstream listed it; absent: the app pins nothing. */
  readonly version?: ToolVersion;
}

interface EntryOf {
  readonly tools: UpstreamTool;
  readonly prompts: UpstreamEntry;
  readonly resources: UpstreamEntry;
  readonly resourceTemplates: UpstreamEntry;
}

/** A list of an upstream as agents see it: plain values, which requests may share. */
export interface UpstreamList<K extends ListKind = ListKind> {
  readonly kind: K;
  /** In the upstream's order. */
  readonly entries: readonly EntryOf[K][];
  /** By what agents see: each stands for one entry. */
  readonly byName: ReadonlyMap<string, EntryOf[K]>;
  readonly malformed: readonly Malformed[];
  readonly reduced: ReadList["reduced"];
  /** How long it may be kept, milliseconds. */
  readonly ttl: number;
  readonly cutAt?: ReadList["cutAt"];
  /** Characters of JSON, about. */
  readonly weight: number;
}

export function isListOf<K extends ListKind>(kind: K, list: UpstreamList): list is UpstreamList<K> {
  return list.kind === kind;
}
