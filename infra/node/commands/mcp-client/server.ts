import { readFile } from "node:fs/promises";
import {
  type AuthProvider,
  Client,
  InsufficientScopeError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { VERSION } from "../../../../lib/kernel/version.ts";
import { fileErrorReason } from "../../files/file-error.ts";
import type { Flags } from "../../flags.ts";
import type { CommandIo } from "../../io.ts";
import { outboundFetch } from "../../net/open-fetch.ts";
import { UsageError } from "../../usage-error.ts";
import { inPlainWords } from "./failures.ts";
import { keptSignIns } from "./kept-sign-ins.ts";
import type { SERVER_FLAGS } from "./server-flags.ts";
import { type Challenge, challengeOf, signIn } from "./sign-in.ts";

/** Sign-ins of one command: a person for the first answer, and once more where a call needs more than that. */
const MOST_SIGN_INS = 2;

/**
 * Connects to an MCP server as a client, signs a person in where the server asks for it, and closes the connection.
 * @param use is begun anew after a sign-in: a request that was refused has done nothing
 * @throws RefusedError, UnreachableError with what the server or the connection said
 */
export async function withServer<T>(
  flags: Flags<typeof SERVER_FLAGS>,
  io: CommandIo,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const url = serverURL(flags.url);
  const fetch = outboundFetch(io.environment);
  const own = await ownToken(flags, io.environment);
  const kept = keptSignIns(io.environment);
  const ports = { url, fetch, kept, io, clientId: flags.client, opensBrowser: flags.noBrowser !== true };
  let sent: string | undefined;
  const access: AuthProvider =
    own === undefined
      ? {
          token: async () => {
            sent = kept.of(url.href)?.accessToken;
            return sent;
          },
          onUnauthorized: async ({ response }) => {
            throw new Challenged(challengeOf(response));
          },
        }
      : { token: async () => own };
  for (let signIns = 0; ; signIns++) {
    const client = new Client({ name: "countersign", version: VERSION }, { versionNegotiation: { mode: "auto" } });
    try {
      await client.connect(new StreamableHTTPClientTransport(url, { fetch, authProvider: access }));
      return await use(client);
    } catch (error) {
      const challenge = own === undefined && signIns < MOST_SIGN_INS ? challengeIn(error) : undefined;
      if (challenge === undefined) throw inPlainWords(error, url, own !== undefined);
      await signIn(challenge, { ...ports, refused: sent }).catch((reason: unknown) => {
        throw inPlainWords(reason, url, false);
      });
    } finally {
      await client.close().catch(() => undefined);
    }
  }
}

/** The server answered with 401, and says how to get a token. */
class Challenged extends Error {
  readonly challenge: Challenge;
  constructor(challenge: Challenge) {
    super("The server wants a person to sign in.");
    this.challenge = challenge;
  }
}

/** What of an error another sign-in can change. */
function challengeIn(error: unknown): Challenge | undefined {
  if (error instanceof Challenged) return error.challenge;
  if (!(error instanceof InsufficientScopeError)) return undefined;
  return { resourceMetadataUrl: error.resourceMetadataUrl, scope: error.requiredScope, needsPerson: true };
}

/** @throws UsageError where it is no address of a server */
export function serverURL(given: string | undefined): URL {
  if (!given)
    throw new UsageError("-url is required: the address of an MCP server, such as https://gateway.example.com/mcp.");
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new UsageError("-url takes an http or https URL without a user name and a password.");
  url.hash = "";
  return url;
}

/** A token that somebody got elsewhere. It is no flag: everybody on the machine can read command lines. */
async function ownToken(
  { tokenFile }: Flags<typeof SERVER_FLAGS>,
  { COUNTERSIGN_TOKEN }: CommandIo["environment"],
): Promise<string | undefined> {
  if (tokenFile === undefined) return COUNTERSIGN_TOKEN || undefined;
  const text = await readFile(tokenFile, "utf8").catch((error: unknown) => {
    throw new UsageError(`${tokenFile} cannot be read: ${fileErrorReason(error)}.`);
  });
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError(`-tokenFile: ${tokenFile} is not one token.`);
  return token;
}
