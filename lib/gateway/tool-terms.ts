import type { ApprovalConfiguration, McpAppConfiguration, StepUpConfiguration } from "../config/app-configuration.ts";
import { firstNaming } from "../config/tool-names.ts";
import { lazy } from "../kernel/lazy.ts";
import { compileCel } from "../policy/cel/compile.ts";
import type { LocalPolicy } from "../policy/policy.ts";
import { type ExchangeTerms, exchangeTerms } from "./credentials/exchange.ts";
import { type ConnectionTerms, connectionTerms } from "./credentials/person-token.ts";
import type { ConfiguredRules } from "./tool-rules.ts";

/** What the configuration wants of a tool's calls. */
export interface ToolTerms extends ConfiguredRules {
  /** That the agent's token has to carry. */
  readonly scopes: readonly string[];
  /** The app has entries for scopes and none names the tool: nobody may call it, and lists do not show it (D163). */
  readonly hasNoRule?: boolean;
  /** What sign-in it takes; absent: any. */
  readonly stepUp?: StepUp | undefined;
  /** Who has to approve calls; absent: nobody. */
  readonly approval?: ApprovalTerms;
  /** What the token that calls to the upstream carry is exchanged for; absent: none is. */
  readonly terms?: ExchangeTerms | undefined;
  /** What calls need of the person's own account; absent: nothing. */
  readonly connection?: ConnectionTerms | undefined;
}

/** Who has to approve calls of a tool, and which. */
export interface ApprovalTerms extends Omit<ApprovalConfiguration, "when"> {
  /** Allows calls that need an approval; absent: all do. */
  readonly when?: () => LocalPolicy;
}

/** What a person's sign-in has to be like for a tool (RFC 9470). */
export type StepUp = Pick<StepUpConfiguration, "acr" | "maxAge">;

/** Of the tools of an app, by the name without the namespace; of the entries that match a name the first decides. */
export function createToolTerms(app: McpAppConfiguration): (localName: string) => ToolTerms {
  const inboundOf = firstNaming(app.inboundTools, ({ name }) => [name]);
  const rulesOf = firstNaming(app.rules ?? [], ({ tools }) => tools);
  const stepUp = firstNaming(app.stepUp, ({ tools }) => tools);
  const terms = exchangeTerms(app);
  const connection = connectionTerms(app);
  const approvals = new Map(
    (app.rules ?? []).flatMap(({ approval }) => (approval === undefined ? [] : [[approval, approvalTerms(approval)]])),
  );
  const approvalOf = (configured: ApprovalConfiguration) => approvals.get(configured) ?? approvalTerms(configured);
  const isOpen = app.inboundTools.length === 0;
  return (localName) => {
    const inbound = inboundOf(localName);
    const rules = rulesOf(localName);
    return {
      scopes: inbound?.scopes ?? [],
      ...(inbound === undefined && !isOpen && { hasNoRule: true }),
      ...(rules?.arguments !== undefined && { argumentRules: rules.arguments }),
      ...(rules?.result !== undefined && { resultRule: rules.result }),
      ...(rules?.approval !== undefined && { approval: approvalOf(rules.approval) }),
      stepUp: stepUp(localName),
      terms: terms(localName),
      connection: connection(localName),
    };
  };
}

function approvalTerms({ when, ...terms }: ApprovalConfiguration): ApprovalTerms {
  return { ...terms, ...(when !== undefined && { when: lazy(() => compileCel(when, "approval")) }) };
}
