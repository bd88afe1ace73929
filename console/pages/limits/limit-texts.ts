import type { LimitSetting } from "../../../lib/management/schemas/gateway-settings.ts";

/** What a limit can be about, in the order in which it is asked. */
export const ABOUT = ["app", "tool", "client", "person", "agent", "organization", "address"] as const;
export type About = (typeof ABOUT)[number];

export interface AboutWords {
  readonly label: string;
  readonly words: string;
}

export const ABOUT_WORDS: Readonly<Record<About, AboutWords>> = {
  app: { label: "App", words: "The name of an app." },
  tool: { label: "Tool", words: "A tool's name without its namespace, or a pattern such as /create.*/." },
  client: { label: "Client", words: "The client ID of an API client or an agent." },
  person: { label: "Person", words: "The subject of the person that agents act for, or that asks by a browser." },
  agent: { label: "Agent", words: "The client ID of an agent that acts for a person." },
  organization: { label: "Organization", words: "The ID of an organization." },
  address: { label: "Address", words: "An address or a network such as 192.0.2.0/24." },
};

export const ENDPOINTS = [
  { value: "mcp", label: "What agents ask the gateway" },
  { value: "web", label: "Requests for web apps" },
  { value: "token", label: "Requests to the token endpoint" },
  { value: "management", label: "Requests to the management API" },
] as const;

export const PARTITIONS = [
  { value: "", label: "By default: each client apart" },
  { value: "client", label: "Each client apart" },
  { value: "person", label: "Each person apart" },
  { value: "organization", label: "Each organization apart" },
  { value: "address", label: "Each address apart" },
  { value: "app", label: "Each app apart" },
  { value: "tool", label: "Each tool apart" },
  { value: "all", label: "All together" },
] as const;

/** One text or several of them, as people type them: with commas between. */
export function joined(value: string | readonly string[] | undefined): string {
  return typeof value === "string" ? value : (value ?? []).join(", ");
}

/** The inverse of `joined`. A pattern may have commas of its own: it ends where a slash is followed by one, or by nothing. */
export function splitOf(text: string): string | readonly string[] {
  const parts = text.match(/\s*\/.*?\/(?=\s*(?:,|$))|[^,]+/g) ?? [];
  const texts = parts.map((part) => part.trim()).filter((part) => part !== "");
  return texts.length > 1 ? texts : (texts[0] ?? "");
}

/** What was typed; a value that was only shown stays as it was. */
export function typedOf(text: string, former: string | readonly string[] | undefined): string | readonly string[] {
  return former !== undefined && text === joined(former) ? former : splitOf(text);
}

/** What a limit is about: "app ledger, tool /create.*\/". */
export function aboutText({ for: about = {} }: LimitSetting): string {
  const parts = Object.entries(about).map(([key, value]) => `${key} ${joined(value)}`);
  return parts.length === 0 ? "everything that agents ask" : parts.join(", ");
}

/** How much it allows: "100/m (20 at once), 10000/day". */
export function amountText({ rate, burst, quota, bytes, concurrent }: LimitSetting): string {
  return [
    rate !== undefined && (burst === undefined ? rate : `${rate} (${burst} at once)`),
    quota,
    bytes,
    concurrent !== undefined && `${concurrent} at the same time`,
  ]
    .filter((part) => typeof part === "string")
    .join(", ");
}
