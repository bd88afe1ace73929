import type { Stop } from "../../../lib/management/schemas/stops.ts";

export type StopKind = Stop["kind"];

interface KindWords {
  readonly label: string;
  /** In a sentence. */
  readonly noun: string;
  /** What to enter. */
  readonly id: string;
  /** What stopping it does. */
  readonly effect: string;
  /** It has tokens and sessions, which can be ended alone. */
  readonly hasTokens: boolean;
}

/** In the order in which they are offered: what people look for first. */
export const KINDS: Readonly<Record<StopKind, KindWords>> = {
  agent: {
    label: "Agent",
    noun: "agent",
    id: "A connected agent, an API client, or the client ID that the audit log has under Agent",
    effect: "It gets no more tokens for anybody, and those that it has are refused.",
    hasTokens: true,
  },
  person: {
    label: "Person",
    noun: "person",
    id: "A member with all linked accounts, or one account alone, as the audit log has it under Person",
    effect: "No agent acts for them any more, and the Console is closed to them.",
    hasTokens: true,
  },
  api_client: {
    label: "API client",
    noun: "API client",
    id: "Its name or ID (client_…)",
    effect: "It gets no more tokens, and those that it has are refused, with all that came of them.",
    hasTokens: true,
  },
  key_pair: {
    label: "Key pair",
    noun: "key pair",
    id: "Its ID (key_…)",
    effect: "It brings no more tokens, and those that it brought are refused.",
    hasTokens: true,
  },
  organization: {
    label: "Organization",
    noun: "organization",
    id: "Its ID (org_…)",
    effect: "Its API clients are refused, and so are agents and people with tokens of this organization.",
    hasTokens: true,
  },
  app: {
    label: "App",
    noun: "app",
    id: "Its name in the configuration",
    effect: "Its tools are not listed and not called.",
    hasTokens: false,
  },
  tool: {
    label: "Tool",
    noun: "tool",
    id: "App and tool, for example ledger/createPayment",
    effect: "It is not listed and not called.",
    hasTokens: false,
  },
  upstream: {
    label: "Upstream server",
    noun: "upstream server",
    id: "Its URL, or the origin of several",
    effect: "No app calls it.",
    hasTokens: false,
  },
};

export const KIND_ORDER = Object.keys(KINDS) as readonly StopKind[];
