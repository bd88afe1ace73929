import { ApiProblem, type FieldProblem } from "./problem.ts";

/** The problem that an answer with an error status holds. An answer that is no problem details (a proxy's page) becomes one. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const body = await readObject(response);
  const status = response.status;
  return new ApiProblem({
    status,
    code: lastPart(text(body.type)) ?? "unknown",
    title: text(body.title) ?? (response.statusText || `Status ${status}`),
    detail: text(body.detail) ?? "The server gave no reason.",
    fields: readFields(body.errors),
    requestId: lastPart(text(body.instance)) ?? response.headers.get("X-Request-Id") ?? undefined,
    retryAfter: seconds(response.headers.get("Retry-After")),
  });
}

async function readObject(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function readFields(errors: unknown): readonly FieldProblem[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((entry: Record<string, unknown> | null) => {
    const [pointer, detail] = [text(entry?.pointer), text(entry?.detail)];
    return pointer === undefined || detail === undefined ? [] : [{ pointer, detail }];
  });
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Of `urn:countersign:problem:conflict`, `conflict`. */
function lastPart(urn: string | undefined): string | undefined {
  return urn?.slice(urn.lastIndexOf(":") + 1);
}

function seconds(retryAfter: string | null): number | undefined {
  const value = Number.parseInt(retryAfter ?? "", 10);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
