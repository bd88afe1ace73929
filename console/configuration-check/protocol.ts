import type { JsonSchema } from "../../lib/config/json-schema.ts";
import type { ConfigurationMessage } from "../../lib/config/messages.ts";
import type { ConfigurationChange } from "../../lib/deployment/changes.ts";
import type { Hazard } from "../../lib/deployment/guards.ts";
import type { ConfigurationDocument } from "../../lib/management/schemas/deployment.ts";

/** The configuration's schema, which completion and help read. */
export type Schema = JsonSchema;

/** What the page gives the worker beside the text. */
export interface Surroundings {
  /** Texts of documents by the URI that the configuration names them by: `file://openapi.yaml`. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether the worker may ask other hosts for documents; the browser tells them that somebody does. */
  readonly mayFetch: boolean;
  /** What is in use, with what was compiled for it: absent as long as nothing is lacking. */
  readonly inUse?: ConfigurationDocument | undefined;
  /** What is in use, as it is shown, where its secrets stay when the text is published; absent: who publishes writes them. */
  readonly keeps?: ConfigurationDocument["document"] | undefined;
}

/** One thing that the page asks the worker for. */
export type CheckRequest =
  | { readonly kind: "check"; readonly text: string; readonly surroundings: Surroundings }
  /** YAML of a plain document. */
  | { readonly kind: "render"; readonly document: unknown }
  | { readonly kind: "schema" }
  /** What a form makes of a text. */
  | { readonly kind: "edit"; readonly text: string; readonly edit: Edit }
  /** A check of a text that is not the page's yet: what is compared and published stays that of the last `check`. */
  | { readonly kind: "try"; readonly text: string; readonly surroundings: Surroundings }
  /** What an OpenAPI document would give as a REST API. */
  | { readonly kind: "document"; readonly uri: string; readonly surroundings: Surroundings }
  /** The tools of an app of the text. @property server what the MCP server has told of itself, if it was asked */
  | {
      readonly kind: "tools";
      readonly text: string;
      readonly app: AppPlace;
      readonly surroundings: Surroundings;
      readonly server: readonly ServerTool[];
    }
  /** An entry of a list of the text, with placeholders as they are written. */
  | { readonly kind: "entry"; readonly text: string; readonly at: EntryPlace }
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
  /** `in-use`: it is not here, and what was compiled of it stays in use. */
  readonly state: "given" | "fetched" | "missing" | "in-use";
  /** Why it is not there. */
  readonly reason?: string;
}

export interface CheckResult {
  readonly messages: readonly CheckMessage[];
  readonly documents: readonly NamedDocument[];
  /** Something that the text names cannot be read or compiled here: what is in use may serve in its place. */
  readonly isLacking: boolean;
  /** No mistake: it can be published. */
  readonly isValid: boolean;
  /** Of all apps with a document. */
  readonly tools: number;
  /** Those of the text, as far as it can be read. */
  readonly apps: readonly ListedApp[];
  /** Names of what the text has in other lists, likewise; empty: it has none yet. */
  readonly lists: Readonly<Record<EntryList, readonly string[]>>;
  /** Whether the text says something of the gateway. */
  readonly hasGateway: boolean;
}

/** An app of the text, at its place in `apps`. */
export interface ListedApp {
  /** Empty: it has none yet. */
  readonly name: string;
  readonly type: AppType;
  /** Of an MCP server, if it is written without placeholders. */
  readonly server?: { readonly url: string; readonly transport: Transport };
}

/** Lists of entries with names, beside `apps`. */
export const ENTRY_LISTS = ["limits", "connectors"] as const;
export type EntryList = (typeof ENTRY_LISTS)[number];

/** Where an entry is in its list, and its name as a proof. */
export interface EntryPlace {
  readonly list: EntryList;
  readonly index: number;
  readonly name: string;
}

/** Plain data of an entry. */
export type Entry = Readonly<Record<string, unknown>>;

/** Where an app is in `apps`, and its name as a proof. */
export interface AppPlace {
  readonly index: number;
  readonly name: string;
}

/** Others have no tools. */
export type AppType = "mcpBridge" | "mcpProxy" | "other";
export type Transport = "stream" | "sse";

/** What a form does to the text. */
export type Edit =
  | { readonly kind: "restApi"; readonly app: NewRestApi }
  | { readonly kind: "mcpServer"; readonly app: NewMcpServer }
  | { readonly kind: "tools"; readonly app: AppPlace; readonly changes: readonly ToolChange[] }
  | { readonly kind: "policy"; readonly policy: EditedPolicy }
  | { readonly kind: "addEntry"; readonly list: EntryList; readonly entry: Entry }
  /** Keys that `from` and `to` have alike stay as they are written. */
  | { readonly kind: "changeEntry"; readonly at: EntryPlace; readonly from: Entry; readonly to: Entry }
  | { readonly kind: "removeEntry"; readonly at: EntryPlace };

/** The text of a policy of an app. */
export interface EditedPolicy {
  /** The app's name. */
  readonly app: string;
  /** Below the app; absent: it is a new expression of CEL, beside those that there are. */
  readonly path?: readonly (string | number)[];
  /** What stood there: it may have been changed since. */
  readonly from?: string;
  readonly text: string;
}

interface NewApp {
  readonly name: string;
  /** Empty: all. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly credential?: Credential | undefined;
  readonly callers?: Callers | undefined;
}

/** Who may call the tools of an app. */
export interface Callers {
  /** That they need; empty: none. */
  readonly scopes: readonly string[];
  /** Which people; absent: what the configuration has without a word of it. */
  readonly members?: "required" | "any" | undefined;
}

export interface NewRestApi extends NewApp {
  /** Of its document. */
  readonly uri: string;
  /** Absent: what the document says. */
  readonly baseURL?: string | undefined;
}

export interface NewMcpServer extends NewApp {
  readonly url: string;
  readonly transport: Transport;
  /** Prefix of its tools; absent: the app's name and `_`. */
  readonly namespace?: string | undefined;
}

/** What calls carry; values are references to secrets. */
export type Credential =
  | { readonly kind: "header"; readonly header: string; readonly value: string }
  /** A security scheme of the OpenAPI document. */
  | { readonly kind: "scheme"; readonly scheme: string; readonly value: string }
  | { readonly kind: "basic"; readonly scheme: string; readonly username: string; readonly password: string };

export type Edited = { readonly text: string } | { readonly refused: string };

/** What the configuration says of one tool. Absent: nothing. */
export interface ToolSettings {
  /** The name that it has by itself, without namespace. */
  readonly original: string;
  /** What `include` and `exclude` call it: `GET /books`, or the name. */
  readonly pattern: string;
  /** Other names that mean this tool alone. */
  readonly aliases: readonly string[];
  /** Names that `include` and `exclude` may call it by together with others. */
  readonly tags: readonly string[];
  readonly isOffered: boolean;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Scopes that callers need. */
  readonly scopes?: readonly string[] | undefined;
  /** Of the exchanged token: how long it is valid, and for what. */
  readonly tokenLifetime?: string | undefined;
  readonly tokenScopes?: readonly string[] | undefined;
}

export interface ToolChange {
  readonly from: ToolSettings;
  readonly to: ToolSettings;
}

/** What a tool is by itself. */
export interface ToolFacts {
  readonly title?: string;
  readonly description?: string;
  readonly isReadOnly: boolean;
  readonly isDestructive: boolean;
}

export interface AppTool extends ToolFacts {
  readonly settings: ToolSettings;
  /** A pattern that hides it: a form cannot offer it. */
  readonly hiddenBy?: string;
  /** Scopes that an entry for several tools asks for. */
  readonly scopesOfPattern?: { readonly name: string; readonly scopes: readonly string[] };
}

export interface AppTools {
  readonly tools: readonly AppTool[];
  readonly leftOut: readonly LeftOut[];
  /** Calls carry exchanged tokens, which have scopes and a lifetime. */
  readonly hasTokens: boolean;
  /** Why the tools of the document are not known. */
  readonly problems: readonly string[];
}

export interface LeftOut {
  readonly operation: string;
  readonly reason: string;
}

/** A tool as an MCP server lists it. */
export interface ServerTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** What an OpenAPI document gives. */
export interface DocumentFacts {
  readonly tools: readonly (ToolFacts & { readonly name: string; readonly operation: string })[];
  readonly leftOut: readonly LeftOut[];
  /** What it calls itself. */
  readonly title?: string;
  /** Where it says that the API is. */
  readonly serverURL?: string;
  /** Security schemes that calls can carry. */
  readonly schemes: readonly { readonly name: string; readonly kind: "apiKey" | "basic" | "bearer" }[];
  /** Why it cannot be used. */
  readonly problems: readonly string[];
}

export interface Prepared {
  readonly changes: readonly ConfigurationChange[];
  readonly hazards: readonly Hazard[];
  /** The compiled configuration, as plain data. */
  readonly artifact: unknown;
  /** The same with references in the place of secrets that are kept, which can be tried. */
  readonly tryable: unknown;
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
  readonly edit: Edited;
  readonly try: CheckResult;
  readonly document: DocumentFacts;
  readonly tools: AppTools;
  readonly entry: Entry;
}

/** The name of the text in messages, and of the file that is saved. */
export const FILE = "countersign.yaml";
