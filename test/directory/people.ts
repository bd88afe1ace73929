import { expect } from "vitest";
import { startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { CONSOLE } from "../support/configuration.ts";
import { type InProcess, type InProcessOptions, ISSUER, startInProcess } from "../support/in-process.ts";

/** The product with the management API, and the owner of its first organization signed in. */
export interface Organization {
  readonly product: InProcess;
  readonly organizationId: string;
  readonly owner: SignedInPerson;
  /** Somebody new, who accepted an invitation of the owner's. */
  joined(email: string, role?: string): Promise<SignedInPerson>;
  /** The secret of a new invitation's link. */
  invitation(email: string, role?: string): Promise<string>;
}

export interface SignedInPerson {
  readonly userId: string;
  /** `name=value` of the Console's session cookie. */
  readonly cookie: string;
  /** A call of the management API; a `body` goes as JSON. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Called>;
}

export interface Called {
  readonly status: number;
  /** Each test knows what it asked for. */
  readonly body: ReturnType<typeof JSON.parse>;
  readonly headers: Headers;
}

export const COOKIE = "__Host-countersign-console";

export async function startOrganization(options: InProcessOptions = {}): Promise<Organization> {
  const configuration = { console: { ...CONSOLE, enabled: true, baseURL: ISSUER }, ...options.configuration };
  const product = await startInProcess({ ...options, configuration });
  const { directory } = product.dependencies.stores;
  const organizationId = (await directory.firstOrganization())?.organizationId as string;
  const owner = await signedIn(product, (await directory.findPersonByEmail("owner@example.com"))?.userId as string);
  const invitation = async (email: string, role = "member") => {
    const { status, body } = await owner.call("POST", "/invitations", { email, role });
    expect(status).toBe(201);
    return secretOf(body.link);
  };
  return {
    product,
    organizationId,
    owner,
    invitation,
    joined: async (email, role) => {
      const accepted = await accept(product, await invitation(email, role));
      expect(accepted.status).toBe(200);
      return personWith(product, accepted.body.userId, cookieOf(accepted));
    },
  };
}

/** What stands after `#token=`. */
export function secretOf(link: string): string {
  return new URL(link).hash.replace("#token=", "");
}

export function accept(product: InProcess, token: string, cookie?: string): Promise<Called> {
  return send(product, "POST", "/invitations/accept", { token }, cookie === undefined ? {} : { Cookie: cookie });
}

/** In another browser than before. */
export async function signedIn(product: InProcess, userId: string): Promise<SignedInPerson> {
  const begun = { method: "link", userAgent: "A browser" } as const;
  return personWith(product, userId, `${COOKIE}=${await startBrowserSession(product.dependencies, userId, begun)}`);
}

export async function send(
  product: InProcess,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Called> {
  const json = body !== undefined && { "Content-Type": "application/json" };
  const response = await product.send(`/api/v1${path}`, {
    method,
    headers: { ...json, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

export function cookieOf({ headers }: Pick<Called, "headers">): string {
  return headers.getSetCookie()[0]?.split(";")[0] as string;
}

function personWith(product: InProcess, userId: string, cookie: string): SignedInPerson {
  return {
    userId,
    cookie,
    call: (method, path, body, headers = {}) => send(product, method, path, body, { Cookie: cookie, ...headers }),
  };
}
