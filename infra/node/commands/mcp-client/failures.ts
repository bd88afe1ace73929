import {
  InsufficientScopeError,
  IssuerMismatchError,
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  RegistrationRejectedError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";
import { expectedExit, noAnswer, RefusedError, statusError, UnreachableError } from "../../exit-codes.ts";
import { printableLine } from "../tools/table.ts";

/** Characters of what a server says about a refusal. */
const QUOTED = 500;

/**
 * What went wrong with a server, for people. Errors that the SDK does not know are returned as they are.
 * @param isOwnToken the token came from the person who typed the command
 */
export function inPlainWords(error: unknown, url: URL, isOwnToken: boolean): unknown {
  if (expectedExit(error) !== undefined) return error;
  if (error instanceof InsufficientScopeError) {
    const { requiredScope, errorDescription } = error;
    const scopes = requiredScope === undefined ? "" : `: ${quoted(requiredScope)}`;
    return new RefusedError(`The token lacks a scope that this needs${scopes}.${sentence(errorDescription)}`);
  }
  if (error instanceof UnauthorizedError || isStatus(error, 401))
    return new RefusedError(
      isOwnToken
        ? `${url.href} does not take the token: it may be over, or for another server.`
        : `${url.href} does not take the token that the sign-in gave.`,
    );
  if (error instanceof RegistrationRejectedError)
    return new RefusedError(`The authorization server registers no client for this command: ${quoted(error.body)}`);
  if (error instanceof OAuthError)
    return new RefusedError(`The authorization server refused: ${quoted(`${error.code}: ${error.message}`)}`);
  if (error instanceof IssuerMismatchError && error.kind === "authorization_response")
    return new RefusedError(
      "The browser brought the answer of another server than the one that was asked. It is not used.",
    );
  if (error instanceof OAuthClientFlowError) return new RefusedError(quoted(error.message));
  if (error instanceof UrlElicitationRequiredError) {
    const pages = error.elicitations.map(({ message, url }) => `\n${quoted(message)}\n${quoted(url)}`);
    return new RefusedError(`A person has to open this first, then the call can be made again:${pages.join("")}`);
  }
  if (error instanceof ProtocolError) return new RefusedError(quoted(error.message));
  if (error instanceof SdkHttpError) return fromStatus(error, url);
  return isOfConnection(error) ? noAnswer(url.href, error) : error;
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof SdkHttpError && error.status === status;
}

function fromStatus({ status, data }: SdkHttpError, url: URL): Error {
  const said = typeof data.text === "string" ? sentence(reasonIn(data.text)) : "";
  if (status === 404 || status === 405)
    return new UnreachableError(`${url.href} is no MCP server: it answered with ${status}.${said}`);
  return statusError(status, `${url.href} answered with ${status}.${said}`);
}

/** The description of an OAuth error or the message of JSON-RPC; of a page nothing. */
function reasonIn(body: string): string | undefined {
  try {
    const { error, error_description: description } = JSON.parse(body) ?? {};
    const reason = description ?? error?.message ?? error;
    return typeof reason === "string" ? reason : undefined;
  } catch {
    return undefined;
  }
}

/** Codes of the SDK that say something about the connection, or about what is at its other end. */
const OF_CONNECTIONS: readonly SdkErrorCode[] = [
  SdkErrorCode.RequestTimeout,
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.SendFailed,
  SdkErrorCode.InvalidResult,
  SdkErrorCode.EraNegotiationFailed,
  SdkErrorCode.ClientHttpUnexpectedContent,
  SdkErrorCode.ClientHttpFailedToOpenStream,
];

function isOfConnection(error: unknown): boolean {
  if (error instanceof SdkError) return OF_CONNECTIONS.includes(error.code);
  return error instanceof TypeError || (error instanceof Error && "code" in error);
}

function quoted(text: string): string {
  const line = printableLine(text);
  return line.length <= QUOTED ? line : `${line.slice(0, QUOTED - 1).toWellFormed()}…`;
}

function sentence(text: string | undefined): string {
  return text === undefined || text.trim() === "" ? "" : ` ${quoted(text)}`;
}
