import type { JsonSchema } from "../../lib/config/json-schema.ts";
import type { ConfigurationMessage } from "../../lib/config/messages.ts";
import type { ConfigurationChange } from "../../lib/deployment/changes.ts";
import type { Hazard } from "../../lib/deployment/guards.ts";

/** The configuration's schema, which completion and help read. */
export type Schema = JsonSchema;

/** What the page gives the worker beside the text. */
export interface Surroundings {
  /** Texts of documents by the URI that the configuration names them by: `file://openapi.yaml`. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether the worker may ask other hosts for documents; the browser tells them that somebody does. */
  readonly mayFetch: boolean;
}

/** One thing that the page asks the worker for. */
export type CheckRequest =
  | { readonly kind: "check"; readonly text: string; readonly surroundings: Surroundings }
  /** YAML of a plain document. */
  | { readonly kind: "render"; readonly document: unknown }
  | { readonly kind: "schema" }
  /** What the last text that was valid changes in a document that is in use; without one, nothing is compared. */
  | { readonly kind: "prepare"; readonly inUse: unknown };

/** Something to say about the text, in the words of `countersign validate`. */
export interface CheckMessage extends ConfigurationMessage {
  readonly tone: "mistake" | "warning";
  /** It stands in the text itself, not in a document that the text names. */
  readonly isHere: boolean;
}

/** A document that the text names, or one that such a document refers to. */
export interface NamedDocument {
  readonly uri: string;
  readonly state: "given" | "fetched" | "missing";
  /** Why it is not there. */
  readonly reason?: string;
}

export interface CheckResult {
  readonly messages: readonly CheckMessage[];
  readonly documents: readonly NamedDocument[];
  /** No mistake: it can be published. */
  readonly isValid: boolean;
  /** Of all apps with a document. */
  readonly tools: number;
}

export interface Prepared {
  readonly changes: readonly ConfigurationChange[];
  readonly hazards: readonly Hazard[];
  /** The compiled configuration, as plain data. */
  readonly artifact: unknown;
}

/** What the worker sends. `doing` comes while a check is under way: the document that is being compiled. */
export type CheckAnswer =
  | { readonly id: number; readonly doing: string }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failed: string };

/** The kinds of requests with what comes back. */
export interface CheckAnswers {
  readonly check: CheckResult;
  readonly render: string;
  readonly schema: object;
  readonly prepare: Prepared;
}

/** The name of the text in messages, and of the file that is saved. */
export const FILE = "countersign.yaml";
