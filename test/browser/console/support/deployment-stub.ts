import type { Page, Route } from "playwright-core";

export interface Draft {
  readonly text: string;
  readonly version: number;
  readonly basedOn?: number;
}

/** What a page sends and gets below `/deployment`, where an instance follows nothing. */
export interface DeploymentStub {
  signing: "operator" | "service";
  approvals: 1 | 2;
  /** The document that is in use. */
  document: unknown;
  /** Its compiled documents, for whoever asks for them; absent: they are too large. */
  tools?: object | undefined;
  draft: Draft | undefined;
  /** Bodies of publications that were sent. */
  readonly published: { readonly [key: string]: unknown }[];
  /** Texts by the URL that the instance reads them from. */
  readonly documents: Record<string, string>;
  /** What MCP servers answer, by URL, and the bodies of requests for them. */
  readonly servers: Record<string, (headers: Readonly<Record<string, string>> | undefined) => unknown>;
  readonly looks: unknown[];
}

/** Answers for `/api/v1/deployment` and all below it, as an instance gives them that follows what is published. */
export async function stubDeployment(page: Page, document: unknown): Promise<DeploymentStub> {
  const stub: DeploymentStub = {
    signing: "service",
    approvals: 1,
    document,
    draft: undefined,
    published: [],
    documents: {},
    servers: {},
    looks: [],
  };
  await page.route("**/api/v1/deployment**", (route) => answer(route, stub));
  await page.route("**/api/v1/deployment/**", (route) => answer(route, stub));
  return stub;
}

function answer(route: Route, stub: DeploymentStub): Promise<void> {
  const request = route.request();
  const url = new URL(request.url());
  const path = url.pathname.replace("/api/v1/deployment", "");
  const json = (body: unknown, status = 200) => route.fulfill({ status, json: body });
  const problem = (status: number, code: string) =>
    route.fulfill({
      status,
      contentType: "application/problem+json",
      body: JSON.stringify({ type: `https://countersign.example/problems/${code}`, title: code, status, detail: code }),
    });
  const refusedUrl = (detail: string) =>
    route.fulfill({
      status: 422,
      contentType: "application/problem+json",
      body: JSON.stringify({
        ...{ type: "https://countersign.example/problems/invalid_field", title: "Invalid field", status: 422 },
        detail: "A field was refused.",
        errors: [{ pointer: "/url", detail }],
      }),
    });
  const known = request.headers()["if-match"];
  const isKnown = known === (stub.draft && `"${stub.draft.version}"`);
  switch (`${request.method()} ${path}`) {
    case "GET ":
      return json({
        ...{ deployment: "production", source: "store:", highest: 6, signing: stub.signing },
        ...{ approvals: stub.approvals, instances: [] },
      });
    case "GET /revisions":
      return json({ items: [] });
    case "GET /document":
      return json({
        revision: 6,
        document: stub.document,
        hidden: [],
        ...(url.searchParams.has("tools") && stub.tools),
      });
    case "GET /draft":
      return stub.draft === undefined ? problem(404, "not_found") : json(stub.draft);
    case "PUT /draft": {
      if (known === undefined && stub.draft !== undefined) return problem(409, "conflict");
      if (!isKnown) return problem(412, "stale");
      const { text, basedOn } = request.postDataJSON() as { readonly text: string; readonly basedOn?: number };
      const version = (stub.draft?.version ?? 0) + 1;
      stub.draft = { text, version, ...(basedOn !== undefined && { basedOn }) };
      return json(stub.draft);
    }
    case "DELETE /draft":
      if (!isKnown) return problem(412, "stale");
      stub.draft = undefined;
      return route.fulfill({ status: 204 });
    case "POST /revisions": {
      const body = request.postDataJSON() as { readonly [key: string]: unknown };
      stub.published.push(body);
      const { revision } = body;
      if (stub.approvals === 2)
        return json(
          {
            ...{ version: 1, revision, digest: "0".repeat(64), proposedBy: "ada", by: "user_1", restart: false },
            ...{ proposedAt: "2026-01-01T00:00:00Z", expiresAt: "2026-01-08T00:00:00Z" },
          },
          202,
        );
      return json(
        {
          revision,
          digest: "0".repeat(64),
          publishedAt: "2026-01-01T00:00:00Z",
          publishedBy: "ada",
          by: "user_1",
          isKept: true,
        },
        201,
      );
    }
    case "POST /documents": {
      const { url } = request.postDataJSON() as { readonly url: string };
      const text = stub.documents[url];
      return text === undefined ? refusedUrl("The host answered 404.") : json({ uri: url, text });
    }
    case "POST /mcp-servers": {
      const body = request.postDataJSON() as { readonly url: string; readonly headers?: Record<string, string> };
      stub.looks.push(body);
      const answered = stub.servers[body.url]?.(body.headers);
      return answered === undefined ? refusedUrl("No MCP server answers there.") : json(answered);
    }
    default:
      return problem(404, "not_found");
  }
}
