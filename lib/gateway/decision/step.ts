import type { PinsConfiguration } from "../../config/app-configuration.ts";
import type { McpProviderConfiguration } from "../../config/configuration.ts";
import type { Policies } from "../../config/policy-engines.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { PreparedRequest } from "../../openapi/invoke.ts";
import type { InstancePins } from "../../pins/instance-pins.ts";
import type { AccessApproval, AccessDenial, AccessRequests } from "../../policy/access-request.ts";
import type { Decision, McpRequestInput, Policy } from "../../policy/policy.ts";
import type { InstanceStops } from "../../stops/instance-stops.ts";
import type { ApprovalRecord, Approvals } from "../../stores/approvals.ts";
import type { RuledArguments } from "../../tool-rules/argument-rules.ts";
import type { GatewayErrorCode } from "../gateway-error.ts";
import type { Memberships } from "../memberships.ts";
import type { OrganizationOf } from "../organization.ts";
import type { Called } from "../stopped.ts";
import type { LocatedTool } from "../tool-index.ts";
import type { RuledTool } from "../tool-rules.ts";
import type { ToolTerms } from "../tool-terms.ts";
import type { PolicyCaller, WebRequestInput } from "./policy-input.ts";

/** What is asked of an app: a call of a tool, what else an MCP server has, or an HTTP request of a web app (D201). */
export interface Asked extends Pick<ToolTerms, "scopes" | "hasNoRule" | "stepUp" | "approval">, RuledTool {
  readonly app: DecidedApp;
  /** What the policies are found by; absent: the app's name. */
  readonly policySet?: string;
  /** The tool as its upstream told it; absent: nobody knows. */
  readonly pin?: LocatedTool["pin"];
  /** Rules of the tool for its arguments. */
  readonly rules?: RuledTool["rules"];
  /** What they make of the arguments; absent: there are none. */
  readonly ruled?: RuledArguments;
  /** What policies are told of it. */
  readonly subject: PolicySubject | WebSubject;
  /** Arguments that go out as they were written, where policies may read other numbers. */
  readonly written?: unknown;
  /** The arguments as they would go out, where somebody may have to approve them. */
  readonly outgoing?: () => unknown;
  /** What goes out beside them, where the call goes on after questions of the server. */
  readonly answered?: () => AnsweredQuestions | undefined;
  /** Makes the HTTP request of a REST API that the arguments ask for; absent: none is made. */
  readonly request?: () => PreparedRequest;
  /** What policies are presented that had denied the same call. */
  readonly approvals?: AccessApprovals;
  readonly caller: PolicyCaller;
}

/** An approval at a decision point's service. */
export interface GrantedAccess extends AccessApproval {
  readonly taskId: string;
}

/** Each for the policy that it is of. */
export type AccessApprovals = ReadonlyMap<Policy, GrantedAccess>;

/** What the decision reads of an app, of whichever kind it is. */
export interface DecidedApp extends Called {
  readonly isShared?: true;
  readonly members?: "required" | "any";
  /** Absent: it pins nothing. */
  readonly pins?: PinsConfiguration;
}

/** `request.mcp` of a policy's input, as far as it tells what is asked. */
export type PolicySubject = Pick<McpRequestInput, "method" | "tool" | "resource" | "prompt">;

/** `request.http` of a policy's input, where a web app is asked. */
export interface WebSubject {
  readonly method: "http";
  readonly http: WebRequestInput;
  readonly tool?: undefined;
}

/** Whether it is a web app that is asked. */
export function isWebSubject(subject: Asked["subject"]): subject is WebSubject {
  return "http" in subject;
}

/** One thing that a step has to say. `why` is for people who ask for an explanation. */
export type Finding = Approval | Refusal;

interface Said {
  /** Which of several: the name of a policy. */
  readonly part?: string;
  /** What it is about; absent: the request itself. */
  readonly about?: "lists";
  readonly why: string;
}

export interface Approval extends Said {
  readonly outcome: "allow";
  /** What a person has approved, and the call uses up. */
  readonly use?: ApprovedUse;
  /** When an approval at a decision point's service ends that this rests on; milliseconds since the epoch. */
  readonly until?: number;
}

/** A denial of a policy at whose service access may be requested. */
export interface DeniedAccess {
  readonly policy: Policy;
  readonly requests: AccessRequests;
  readonly denial: AccessDenial;
}

/** What a person approves, besides the arguments. */
export interface ApprovalSubject
  extends Pick<
    ApprovalRecord,
    "organizationId" | "app" | "tool" | "upstream" | "person" | "agent" | "issuer" | "by" | "separate"
  > {}

/** An approval of this call. */
export interface ApprovedUse {
  readonly approvalId: string;
  readonly subject: ApprovalSubject;
  /** Digest of the tool's version, where its app pins tools. */
  readonly pin: string | undefined;
  /** An agent waits by its task. */
  readonly isTask: boolean;
}

/** With what a call goes on after its server has asked something (MCP 2026-07-28, Multi Round-Trip Requests). */
export interface AnsweredQuestions {
  readonly inputResponses?: unknown;
  /** The server's own, which nobody else can read. */
  readonly requestState?: unknown;
}

/** The approval that a call needs. */
export interface NeededApproval {
  readonly subject: ApprovalSubject;
  readonly digest: string;
  /** The arguments, for whoever approves. */
  readonly text: string;
  /** Likewise the agent's answers to questions of the server. */
  readonly answers?: string | undefined;
  /** Milliseconds. */
  readonly lifetime: number;
}

export interface Refusal extends Said {
  readonly outcome: "refuse";
  readonly code: GatewayErrorCode;
  /** For the agent. */
  readonly message: string;
  /** For the audit record; absent: nothing is recorded, as there is nothing that the agent asked for. */
  readonly reason?: string;
  /** Of the audit record. */
  readonly details?: Readonly<Record<string, string>>;
  /** What the next token has to have, and of which sign-in it has to come. */
  readonly needs?: Pick<ToolTerms, "scopes" | "stepUp">;
  /** What somebody has to approve before. */
  readonly approval?: NeededApproval;
  /** Of a policy at whose service access may be requested. */
  readonly access?: DeniedAccess;
}

/** One step of the decision. It returns data and does nothing else; who records and answers is the caller of the pipeline. */
export interface Step {
  readonly name: string;
  /**
   * What the step finds, stage by stage: a later stage costs more, and is not reached where an earlier one refuses (an explanation
   * goes through all of them).
   */
  readonly judge: (asked: Asked, ports: StepPorts) => AsyncIterable<readonly Finding[]> | Iterable<readonly Finding[]>;
  /** Those of the tools that the step lets lists show. Absent: it keeps none out of lists. */
  readonly shown?: <Tool extends ListCandidate>(
    tools: readonly Tool[],
    caller: PolicyCaller,
    ports: ListPorts,
  ) => Promise<readonly Tool[]>;
}

/** What a list knows of a tool. */
export type ListCandidate = Pick<LocatedTool, "app" | "hasNoRule" | "pin" | "rules" | "results"> & {
  readonly tool: Pick<LocatedTool["tool"], "localName">;
};

/** What lists are decided with. */
export interface ListPorts {
  readonly policies: Policies;
  /** Absent: there is no MCP endpoint. */
  readonly mcpProvider?: Pick<McpProviderConfiguration, "stream"> | undefined;
  readonly organizationOf: OrganizationOf;
  readonly instanceStops: Pick<InstanceStops, "current">;
  /** Absent: whatever apps pin is held. */
  readonly pins?: Pick<InstancePins, "statesOf">;
  readonly memberships: Memberships;
}

/** What everything else is decided with. */
export interface DecisionPorts extends ListPorts {
  readonly clock: Clock;
  /** Every scope that some tool needs. */
  readonly scopes: readonly string[];
  /** Absent: nobody knows what people have approved. */
  readonly stores?: { readonly approvals: Pick<Approvals, "liveApproval"> };
  /** Of the tokens that this instance issues; undefined where it issues none. */
  readonly ownIssuer?: string | undefined;
}

/** What steps are given. */
export interface StepPorts
  extends Pick<
    DecisionPorts,
    "organizationOf" | "memberships" | "instanceStops" | "pins" | "clock" | "scopes" | "stores" | "ownIssuer"
  > {
  readonly answers: PolicyAnswers;
}

/** What the policies of the app answer to one decision: each is asked at most once about the request, and once about the list. */
export interface PolicyAnswers {
  readonly policies: readonly Policy[];
  readonly decision: (policy: Policy) => Promise<Decision>;
  /** Whether the policy keeps the tool out of lists; false for what is no tool. */
  readonly hides: (policy: Policy) => Promise<boolean>;
}
