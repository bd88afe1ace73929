/** What MCP servers list. */
export type ListKind = "tools" | "prompts" | "resources" | "resourceTemplates";

/** How a list is asked for, and what its entries are told apart by. */
export interface KindTerms {
  readonly method: string;
  /** Of the result: where the entries are. */
  readonly member: string;
  /** Of an entry: what agents name it by. */
  readonly identifier: "name" | "uri" | "uriTemplate";
}

export const KINDS: Readonly<Record<ListKind, KindTerms>> = {
  tools: { method: "tools/list", member: "tools", identifier: "name" },
  prompts: { method: "prompts/list", member: "prompts", identifier: "name" },
  resources: { method: "resources/list", member: "resources", identifier: "uri" },
  resourceTemplates: {
    method: "resources/templates/list",
    member: "resourceTemplates",
    identifier: "uriTemplate",
  },
};
