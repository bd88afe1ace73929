import type { Stop } from "../../../lib/management/schemas/stops.ts";

export type StopKind = Stop["kind"];

interface KindWords {
  readonly label: string;
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
    id: "Its client ID, as the audit log has it under Agent",
    effect: "It gets no more tokens for anybody, and those that it has are refused.",
    hasTokens: true,
  },
  person: {
    label: "Person",
    id: "Their ID in the list of members; one of the audit log is of a single account",
    effect: "No agent acts for them any more, and the Console is closed to them.",
    hasTokens: true,
  },
  api_client: {
    label: "API client",
    id: "client_…",
    effect: "It gets no more tokens, and those that it has are refused, with all that came of them.",
    hasTokens: true,
  },
  key_pair: {
    label: "Key pair",
    id: "key_…",
    effect: "It brings no more tokens, and those that it brought are refused.",
    hasTokens: true,
  },
  organization: {
    label: "Organization",
    id: "org_…",
    effect: "Its API clients are refused, and agents and people who come with tokens that belong to it.",
    hasTokens: true,
  },
  app: {
    label: "App",
    id: "Its name in the configuration",
    effect: "Its tools are not listed and not called.",
    hasTokens: false,
  },
  tool: {
    label: "Tool",
    id: "App and tool: ledger/createPayment",
    effect: "It is not listed and not called.",
    hasTokens: false,
  },
  upstream: {
    label: "Upstream server",
    id: "Its URL, or the origin of several",
    effect: "No app calls it.",
    hasTokens: false,
  },
};

export const KIND_ORDER = Object.keys(KINDS) as readonly StopKind[];
