import { type SecretAnswer, SecretFailure, secretFailure, statusText } from "./http.ts";

/** In words what a vendor means by a status. */
export type StatusMeanings = Readonly<Record<number, string>>;

/** Why a vendor refused: `it does not exist: status 404 (SecretNotFound)`. The vendor's own text is not passed on. */
export function refusalReason(status: number, code: unknown, meanings: StatusMeanings): string {
  const meaning = meanings[status];
  const told = statusText(status, code);
  return meaning === undefined ? told : `${meaning}: ${told}`;
}

/** The error for an answer that brought no access token. */
export function signInFailure(
  provider: string,
  { status }: SecretAnswer,
  { code, meanings }: { readonly code?: unknown; readonly meanings: StatusMeanings },
): SecretFailure {
  const reason = status === 200 ? "its answer has no access token" : refusalReason(status, code, meanings);
  return secretFailure(provider, undefined, reason);
}

/** Does something, and says what else there is when it fails. */
export async function withHint<T>(hint: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SecretFailure)) throw error;
    throw secretFailure(error.provider, error.reference, `${error.reason}; ${hint}`, error.cause);
  }
}
