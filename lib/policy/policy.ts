import type { JsonObject } from "../kernel/json.ts";
import type { AccessApproval, AccessDenial, AccessRequests } from "./access-request.ts";

/** What a policy learns of a call, or of a request for a web app; the shape is in docs/policies.md. */
export interface PolicyInput {
  readonly request: {
    /**
     * Of a call the request that the gateway would make of a REST API; all of it absent where none is made, as on a list. Of a web app
     * the caller's own request.
     */
    readonly http: Partial<HttpRequestInput> & {
      /** Of the caller. */
      readonly remoteAddress?: string;
    };
    /** Absent: it is a request for a web app. */
    readonly mcp?: McpRequestInput;
  };
  /** Claims of the person, `sub` among them; empty when there is none. */
  readonly user: JsonObject;
  /** Empty also where a person asks by their browser. */
  readonly agent: { readonly clientID?: string };
  readonly token: { readonly claims: JsonObject };
  /** Claims of the person by connector. Comparisons alone read them: no engine with a language of its own is shown them. */
  readonly attributes?: Attributes;
  /**
   * `x-authzen-mapping` of the tool that is called, as its server declares it and an owner approved it. AuthZEN alone reads it.
   */
  readonly declaredMapping?: () => unknown;
}

/** Claims by the name of the connector that they came from. */
export type Attributes = Readonly<Record<string, JsonObject>>;

/** The input of a policy about what agents ask. */
export type McpPolicyInput = PolicyInput & { readonly request: { readonly mcp: McpRequestInput } };

/** What an agent asks of an app. */
export interface McpRequestInput {
  /** The caller's own request. */
  readonly http: HttpMessageInput;
  readonly method: string;
  readonly app: string;
  /** As audit records name the session; absent: none. */
  readonly session?: string;
  readonly tool?: PolicyTool;
  /** What is to be listed, where `tool` is absent. */
  readonly tools?: readonly PolicyTool[];
  /** What is read or subscribed to of an upstream MCP server, by its own URI. */
  readonly resource?: { readonly uri: string };
  /** What is asked of an upstream MCP server, by its own name. */
  readonly prompt?: PolicyTool;
}

/** An HTTP request as a policy learns of it. */
export interface HttpMessageInput {
  readonly method: string;
  /** As it is on the wire. */
  readonly path: string;
  /** Names as `User-Agent`; several values of one are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One that the gateway makes, without what the configuration puts into it, or that a web app is asked. */
export interface HttpRequestInput extends HttpMessageInput {
  /** In lower case, with its port where it has one; of web apps. */
  readonly host?: string;
  /** All values of each name, decoded. */
  readonly query: Values;
  /** Fields of a form, and parts of a multipart body; of a file, its name. Absent: the body is neither. */
  readonly form?: Values;
}

type Values = Readonly<Record<string, readonly string[]>>;

export interface PolicyTool {
  readonly params: {
    /** Without the app's namespace. */
    readonly name: string;
    /** Absent when tools are listed. */
    readonly arguments?: unknown;
  };
}

/** The input as engines with a language of their own are shown it: what connectors say of people is for comparisons alone. */
export function withoutAttributes({ attributes: _, declaredMapping: __, ...input }: PolicyInput): PolicyInput {
  return input;
}

/** What a policy says. Whoever fails to decide denies: `failure` is a short code for the log, `message` is for the agent. */
export type Decision =
  /** `until`: by an approval of the decision point's, which ends then; milliseconds since the epoch. */
  | { readonly outcome: "allowed"; readonly until?: number }
  /** `access`: of a policy with access requests, about a call. */
  | { readonly outcome: "denied"; readonly message?: string; readonly access?: AccessDenial }
  | { readonly outcome: "failed"; readonly failure: string };

export const ALLOWED: Decision = { outcome: "allowed" };
export const DENIED: Decision = { outcome: "denied" };

export function failed(failure: string): Decision {
  return { outcome: "failed", failure };
}

/**
 * What every engine of policies implements (`config/policy-engines.ts` lists them). `local` ones decide here and now; `remote` ones
 * take a request, are asked about a call only when no local one denies, and then all at once. After a denial one that decides
 * on lists may still be asked whether the caller knows the tool.
 */
export type Policy = LocalPolicy | RemotePolicy;

interface NamedPolicy {
  /** Names it in logs, audit records and metrics. */
  readonly name: string;
  /** It also decides which tools are listed: it can tell without the arguments of a call. */
  readonly decidesOnListing: boolean;
}

export interface LocalPolicy extends NamedPolicy {
  readonly cost: "local";
  /**
   * Of its input it reads who calls, the app and the tool, and nothing else of the request: of two lists of one caller with the same
   * names it says the same.
   */
  readonly readsCallerAlone: boolean;
  /** It asks for the caller's `Authorization` header, in `request.http.headers`. */
  readonly seesToken?: boolean;
  /** Never throws. A list is decided tool by tool, as calls without arguments. */
  readonly decide: (input: PolicyInput) => Decision;
}

export interface RemotePolicy extends NamedPolicy {
  readonly cost: "remote";
  /** The caller's `Authorization` header is a part of its input. */
  readonly seesToken: boolean;
  /** Never rejects. The approval is one that came of its own denial. */
  readonly decide: (input: PolicyInput, approval?: AccessApproval) => Promise<Decision>;
  /** Absent: its denials are final. */
  readonly accessRequests?: AccessRequests;
  /** Names of the tools in the input that may be listed, or one decision for all of them. Never rejects. */
  readonly list: (input: PolicyInput) => Promise<Decision | ReadonlySet<string>>;
}
