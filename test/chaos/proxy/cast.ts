/** An upstream MCP server of the run. */
export interface UpstreamRole {
  /** Of the app that guards it. */
  readonly name: string;
  /** In front of the names of its tools; empty: none. */
  readonly prefix: string;
  readonly generation: "session" | "stateless";
  /** Every call takes its time and tells of its progress. */
  readonly isSlow: boolean;
}

/**
 * The one without a namespace stands first: what is meant for the others must not go there, also while nobody can say whose
 * tool a name is.
 */
export const UPSTREAMS: readonly UpstreamRole[] = [
  { name: "plain", prefix: "", generation: "session", isSlow: false },
  { name: "ledger", prefix: "ledger_", generation: "session", isSlow: false },
  { name: "search", prefix: "search_", generation: "stateless", isSlow: false },
  { name: "reports", prefix: "reports_", generation: "session", isSlow: true },
];

/** Who an agent is toward the gateway. */
export interface Principal {
  readonly user: string;
  readonly client: string;
}

/** One agent as a process that somebody runs: a session of its own, or none. */
export interface AgentRole extends Principal {
  /** Unique; two of one principal differ in it alone. */
  readonly name: string;
  /** MCP revision. */
  readonly revision: string;
}

export const STATELESS = "2026-07-28";

/** Two agents of one person, two sessions of one agent, the same client for two people, both generations. */
export const AGENTS: readonly AgentRole[] = [
  { name: "A", user: "alice", client: "agent-1", revision: "2025-11-25" },
  { name: "B", user: "alice", client: "agent-1", revision: "2025-11-25" },
  { name: "C", user: "alice", client: "agent-2", revision: "2025-06-18" },
  { name: "D", user: "bob", client: "agent-1", revision: "2025-11-25" },
  { name: "E", user: "alice", client: "agent-1", revision: STATELESS },
  { name: "F", user: "bob", client: "agent-2", revision: STATELESS },
];

/** Begins and ends sessions all the time. */
export const VISITOR: AgentRole = { name: "V", user: "carol", client: "agent-2", revision: "2025-11-25" };

/** What upstreams get to know of a caller. */
export function principalText({ user, client }: Principal): string {
  return `${user}/${client}`;
}
