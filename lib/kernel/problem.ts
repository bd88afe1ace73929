/** Stable codes of the management API's errors; each is also the last part of the problem's `type`. */
export type ProblemCode =
  | "not_signed_in"
  | "forbidden"
  | "recent_sign_in_required"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "stale"
  | "invalid_field"
  | "invalid_body"
  | "body_too_large"
  | "too_many_requests"
  | "unavailable"
  | "internal";

/** One field that was refused. `pointer` is a JSON Pointer (RFC 6901) into the request body. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

const STATUS = {
  not_signed_in: 401,
  forbidden: 403,
  recent_sign_in_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  stale: 412,
  body_too_large: 413,
  invalid_field: 422,
  invalid_body: 400,
  too_many_requests: 429,
  unavailable: 503,
  internal: 500,
} as const satisfies Readonly<Record<ProblemCode, number>>;

const TITLE: Readonly<Record<ProblemCode, string>> = {
  not_signed_in: "Not signed in",
  forbidden: "Not allowed",
  recent_sign_in_required: "Sign in again",
  not_found: "Not found",
  method_not_allowed: "Method not allowed",
  conflict: "Conflict",
  stale: "Changed by someone else",
  body_too_large: "Body too large",
  invalid_field: "Invalid field",
  invalid_body: "Invalid body",
  too_many_requests: "Too many requests",
  unavailable: "Not available for now",
  internal: "Internal error",
};

/** An error of the management API: RFC 9457 problem details. `detail` leaves the process; `cause` is for the log only. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly fields: readonly FieldProblem[];
  constructor(
    code: ProblemCode,
    detail: string,
    options: { readonly fields?: readonly FieldProblem[]; readonly cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause });
    this.name = "ProblemError";
    this.code = code;
    this.fields = options.fields ?? [];
  }

  get status(): (typeof STATUS)[ProblemCode] {
    return STATUS[this.code];
  }
}

/** The `application/problem+json` body (RFC 9457 §3). */
export function problemDetails(problem: ProblemError, requestId: string): Readonly<Record<string, unknown>> {
  return {
    type: `urn:countersign:problem:${problem.code}`,
    title: TITLE[problem.code],
    status: problem.status,
    detail: problem.message,
    instance: `urn:countersign:request:${requestId}`,
    ...(problem.fields.length > 0 && { errors: problem.fields }),
  };
}
