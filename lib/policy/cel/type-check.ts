import {
  type ASTNode,
  Environment,
  type TypeError as ExpressionTypeError,
  type ParseError,
} from "@marcbachmann/cel-js";
import { nearest } from "../../kernel/suggestions.ts";
import { ExpressionError, nodesOf } from "./syntax.ts";

/** What an expression decides on: the use of a tool, a request to a web app, or whether somebody may approve a call. */
export type PolicySubjectKind = "tool" | "web" | "approver";

type Mappings = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The input of policies (`PolicyInput`): members of each mapping by their types. What agents and authorization servers fill is
 * dynamic.
 */
const TOOL_MAPPINGS: Mappings = {
  Request: { http: "Http", mcp: "Mcp" },
  Http: {
    method: "string",
    path: "string",
    query: "map<string, list<string>>",
    headers: "map<string, string>",
    form: "map<string, list<string>>",
    remoteAddress: "string",
  },
  Mcp: {
    method: "string",
    http: "Message",
    app: "string",
    session: "string",
    tool: "Subject",
    tools: "list<Subject>",
    resource: "Resource",
    prompt: "Subject",
  },
  Subject: { params: "Params" },
  Params: { name: "string", arguments: "dyn" },
  Message: { method: "string", path: "string", headers: "map<string, string>" },
  Resource: { uri: "string" },
  Agent: { clientID: "string" },
  Token: { claims: "map<string, dyn>" },
};

/** Of a request to a web app the whole is known, but for its body. */
const WEB_MAPPINGS: Mappings = {
  Request: { http: "Http" },
  Http: {
    method: "string",
    path: "string",
    host: "string",
    query: "map<string, list<string>>",
    headers: "map<string, string>",
    remoteAddress: "string",
  },
  Agent: { clientID: "string" },
  Token: { claims: "map<string, dyn>" },
};

/** `ApproverInput`. */
const APPROVER_MAPPINGS: Mappings = {
  Approver: { id: "string", role: "string", organizationId: "string", method: "string", accounts: "list<Account>" },
  Account: { issuer: "string", subject: "string" },
};

const MAPPINGS: Readonly<Record<PolicySubjectKind, Mappings>> = {
  tool: TOOL_MAPPINGS,
  web: WEB_MAPPINGS,
  approver: APPROVER_MAPPINGS,
};
const POLICY_VARIABLES = { request: "Request", user: "map<string, dyn>", agent: "Agent", token: "Token" };
const VARIABLES: Readonly<Record<PolicySubjectKind, Readonly<Record<string, string>>>> = {
  tool: POLICY_VARIABLES,
  web: POLICY_VARIABLES,
  approver: { approver: "Approver" },
};

/**
 * Checks an expression against the types of the input: no policy may read a member that no input has. Evaluation alone does not
 * tell, since `a || b` forgives an error in `a`.
 *
 * @param text is accepted by `compileCel`
 * @param about what it decides on
 * @throws ExpressionError
 */
export function typeCheck(text: string, about: PolicySubjectKind = "tool"): void {
  const checked = withCheckedHas(text, about);
  let loose: readonly string[] = [];
  for (;;) {
    const { error } = environmentWith(loose, about).parse(checked).check();
    if (error === undefined) return;
    // A mapping that is looped over, compared or measured is any map from there on.
    const used = Object.keys(MAPPINGS[about]).find((name) => !loose.includes(name) && isNamed(name, error.summary));
    if (used === undefined) throw mistake(error, text, MAPPINGS[about]);
    loose = [...loose, used];
  }
}

/** As what `has` is checked: it takes members that do not exist, and is told apart from it by nothing but its first letter. */
const CHECKED_HAS = "Has";

function withCheckedHas(text: string, about: PolicySubjectKind): string {
  const starts = [...nodesOf(environmentWith([], about).parse(text).ast)].filter(isHas).map(({ range }) => range.start);
  return starts.reduce((written, start) => written.slice(0, start) + CHECKED_HAS + written.slice(start + 3), text);
}

function isHas({ op, args }: ASTNode): boolean {
  return op === "call" && args[0] === "has";
}

/** Those that check whatever is loose take a millisecond to make. */
const strict: Partial<Record<PolicySubjectKind, Environment>> = {};

function environmentWith(loose: readonly string[], about: PolicySubjectKind): Environment {
  if (loose.length > 0) return createEnvironment(loose, about);
  strict[about] ??= createEnvironment(loose, about);
  return strict[about];
}

function createEnvironment(loose: readonly string[], about: PolicySubjectKind): Environment {
  const made = new Environment({ homogeneousAggregateLiterals: false });
  const typeOf = (name: string) => (loose.includes(name) ? "map<string, dyn>" : name);
  const loosened = (type: string) => type.replace(/\w+/g, (name) => typeOf(name));
  for (const [name, members] of Object.entries(MAPPINGS[about]).reverse()) {
    const fields = Object.fromEntries(Object.entries(members).map(([member, type]) => [member, loosened(type)]));
    made.registerType(name, { fields });
  }
  for (const [name, type] of Object.entries(VARIABLES[about])) made.registerVariable(name, loosened(type));
  // `agent.clientID != null` says nothing, and is no mistake either.
  made.registerOperator("string == null", () => false);
  return made.registerFunction(`${CHECKED_HAS}(dyn): bool`, () => true);
}

function isNamed(name: string, message: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(message);
}

/** A member that does not exist is told with those that do; anything else as the library tells it. */
function mistake(error: ParseError | ExpressionTypeError, text: string, mappings: Mappings): ExpressionError {
  const { code, node, range, summary } = error;
  if (!isAccess(node) || code !== "no_such_key") return new ExpressionError(summary, range?.start ?? 0);
  const [object, member] = node.args;
  const name = typeof member === "string" ? member : String(member.args);
  const members = Object.keys(mappings[typeName(object)] ?? {});
  const meant = nearest(name, members);
  const hint = meant === undefined ? `accepted: ${members.join(", ")}` : `did you mean ${JSON.stringify(meant)}?`;
  const owner = text.slice(object.range.start, object.range.end);
  const offset = typeof member === "string" ? (range?.start ?? object.range.end) : member.range.start;
  return new ExpressionError(`${owner} has no member ${JSON.stringify(name)}; ${hint}`, offset);
}

function isAccess(node: ParseError["node"] | ASTNode): node is Extract<ASTNode, { op: "." | "[]" }> {
  return node?.op === "." || node?.op === "[]";
}

/** What the check noted at the node; the library's types do not tell of it. */
function typeName(node: ASTNode & { readonly checkedType?: { readonly name: string } }): string {
  return node.checkedType?.name ?? "";
}
