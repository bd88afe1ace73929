import type { JsonObject } from "../json.ts";
import { type ProblemCode, ProblemError } from "../problem.ts";
import type { SchemaComponents } from "./components.ts";
import type { Operation } from "./operations/operation.ts";
import { PROBLEM } from "./schemas/problem.ts";

/** What each code means to callers; no operation answers the one that is not here. */
const MEANINGS: Readonly<Record<Exclude<ProblemCode, "method_not_allowed">, string>> = {
  not_signed_in: "Nobody is signed in, and there is no access token of this API that is good.",
  forbidden: "The caller may not do this, or another site sent the request.",
  recent_sign_in_required:
    "The person signed in more than ten minutes ago, or, with the code `forbidden`, the caller may not do this.",
  not_found: "It does not exist, or not for the caller.",
  conflict: "What there is already does not admit it.",
  stale: "Somebody else made a change meanwhile: `If-Match` names an older one.",
  body_too_large: "The body has more than 64 KiB.",
  invalid_field: "Fields of the body or parameters of the query are not acceptable; `errors` names them.",
  invalid_body: "The body is not a JSON object, or not sent as `application/json`.",
  unavailable: "The store or an identity provider could not do it for now, or more sign-ins begin than people begin.",
  internal: "A defect. The log has more under the request's id.",
};

/** The problems that an operation can answer, by status; of two with one status its own, which describes the other, too. */
export function problemsOf(operation: Operation): Readonly<Record<number, JsonObject>> {
  const codes = new Set<ProblemCode>([...commonProblems(operation), ...(operation.problems ?? [])]);
  return Object.fromEntries([...codes].map((code) => [statusOf(code), { $ref: `#/components/responses/${code}` }]));
}

/** `#/components/responses`: a Response Object a code. */
export function problemResponses(components: SchemaComponents): JsonObject {
  const content = { "application/problem+json": { schema: components.place(PROBLEM) } };
  return Object.fromEntries(
    Object.entries(MEANINGS).map(([code, description]) => [code, { description, ...headersOf(code), content }]),
  );
}

/** Those that follow from what an operation takes, and from whom. */
function commonProblems({ access, method, parameters = [], body }: Operation): readonly ProblemCode[] {
  const isForOrganization = access.role === "member" || access.role === "owner";
  const takes = (place: string) => parameters.some((parameter) => parameter.in === place);
  const codes: readonly (readonly [boolean, readonly ProblemCode[]])[] = [
    [true, ["invalid_field", "unavailable", "internal"]],
    [access.role !== "public", ["not_signed_in", "forbidden"]],
    [method !== "get", ["forbidden"]],
    [isForOrganization || takes("path") || takes("header"), ["not_found"]],
    [parameters.some(({ name }) => name === "If-Match"), ["stale"]],
    [body !== undefined, ["invalid_body", "body_too_large"]],
  ];
  return codes.flatMap(([applies, those]) => (applies ? those : []));
}

function statusOf(code: ProblemCode): number {
  return new ProblemError(code, "").status;
}

function headersOf(code: string): JsonObject {
  const header = { schema: { type: "string" } };
  if (code === "not_signed_in") return { headers: { "WWW-Authenticate": header } };
  return code === "unavailable" ? { headers: { "Retry-After": header } } : {};
}
