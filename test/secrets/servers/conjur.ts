import type { Clock } from "../../../lib/kernel/clock.ts";
import { startVendorServer, type VendorRequest, type VendorServer } from "./vendor-server.ts";

const TOKEN_LIFETIME = 8 * 60_000;

export interface ConjurContent {
  readonly account: string;
  /** API keys by login. */
  readonly apiKeys: Readonly<Record<string, string>>;
  /** Values by id; an undefined one was never set. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Ids that the logins see and may not read. */
  readonly denied?: readonly string[];
}

export interface ConjurServer extends VendorServer {
  /** Every token that was issued is refused from now on, as after a change of the server's key. */
  endTokens(): void;
}

/**
 * Stands in for Conjur, whose server is a set of containers that cannot run here. It follows CyberArk's documentation of
 * "Authenticate" and "Retrieve a secret": paths, headers, the form of tokens, their eight minutes, and status codes.
 */
export async function startConjur(
  content: ConjurContent,
  tls: { cert: string; key: string },
  clock: Clock,
): Promise<ConjurServer> {
  let key = "first";
  const token = (login: string) => {
    const payload = encode({ sub: login, iat: Math.floor(clock.now() / 1_000) });
    return {
      protected: encode({ alg: "conjur.org/slosilo/v2", kid: key }),
      payload,
      signature: encode({ key, payload }),
    };
  };
  const isValid = (header: string | null) => {
    const { payload = "", signature } = decode(/^Token token="([A-Za-z0-9+/=]+)"$/.exec(header ?? "")?.[1] ?? "");
    const issued = Number(decode(String(payload)).iat) * 1_000;
    return signature === encode({ key, payload }) && clock.now() < issued + TOKEN_LIFETIME;
  };

  const authenticate = ({ headers, body }: VendorRequest, login: string) => {
    if (content.apiKeys[login] !== body || body === "") return new Response(null, { status: 401 });
    const issued = JSON.stringify(token(login));
    if (headers.get("Accept-Encoding")?.includes("base64") !== true) return new Response(issued);
    return new Response(Buffer.from(issued).toString("base64"), { headers: { "Content-Encoding": "base64" } });
  };
  const retrieve = ({ headers }: VendorRequest, id: string) => {
    if (!isValid(headers.get("Authorization"))) return new Response(null, { status: 401 });
    if (content.denied?.includes(id)) return new Response(null, { status: 403 });
    const value = content.variables[id];
    return value === undefined ? notFound(id) : new Response(value);
  };

  const vendor = await startVendorServer((request) => {
    const [first, ...rest] = request.path.slice(1).split("/").map(decodeURIComponent);
    if (request.method === "POST" && first === "authn" && rest[0] === content.account && rest[2] === "authenticate") {
      return authenticate(request, rest[1] ?? "");
    }
    if (request.method === "GET" && first === "secrets" && rest[0] === content.account && rest[1] === "variable") {
      return retrieve(request, rest[2] ?? "");
    }
    return new Response(null, { status: 404 });
  }, tls);
  return Object.assign(vendor, {
    endTokens: () => {
      key = "second";
    },
  });
}

function notFound(id: string): Response {
  return Response.json(
    { error: { code: "not_found", message: `CONJ00076E Variable ${id} is empty or not found.` } },
    { status: 404 },
  );
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

function decode(text: string): Record<string, unknown> {
  return text === "" ? {} : JSON.parse(Buffer.from(text, "base64").toString());
}
