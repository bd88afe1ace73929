/** One field that was refused. `pointer` is a JSON Pointer (RFC 6901) into the body that was sent. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

export interface ProblemFacts {
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Last part of the problem's `type`, for example `conflict`; `network` and `timeout` when there was no answer. */
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly fields?: readonly FieldProblem[];
  /** Names the request in the server's log. */
  readonly requestId?: string | undefined;
  /** Seconds after which trying again may help. */
  readonly retryAfter?: number | undefined;
}

/** What went wrong with a request, in words for the person: a problem of the API (RFC 9457), or no answer at all. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly fields: readonly FieldProblem[];
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  constructor(facts: ProblemFacts, cause?: unknown) {
    super(`${facts.title}: ${facts.detail}`, { cause });
    this.name = "ApiProblem";
    this.status = facts.status;
    this.code = facts.code;
    this.title = facts.title;
    this.detail = facts.detail;
    this.fields = facts.fields ?? [];
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
  }

  /** Whether the same request may succeed by itself a little later. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

/** Anything thrown as a problem that can be shown. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiProblem({ status: 0, code: "program", title: "The Console itself failed", detail }, error);
}
