import { SecretFailure } from "./http.ts";

/**
 * Reads an entry once for all secrets in it that are asked for at the same time; nothing is kept of it afterwards. An
 * error names the secret that was asked for. What is shared must not outlive a request on Workers (D29), where providers
 * are opened anew for each refresh.
 * @param read receives the entry, and the reference that was the first to ask for it
 */
export function oneFlight<T>(
  read: (entry: string, reference: string) => Promise<T>,
): (entry: string, reference: string) => Promise<T> {
  const flights = new Map<string, Promise<T>>();
  const fly = (entry: string, reference: string): Promise<T> => {
    const flight = read(entry, reference).finally(() => flights.delete(entry));
    flights.set(entry, flight);
    return flight;
  };
  return async (entry, reference) => {
    try {
      return await (flights.get(entry) ?? fly(entry, reference));
    } catch (error) {
      throw error instanceof SecretFailure ? about(error, reference) : error;
    }
  };
}

function about(failure: SecretFailure, reference: string): SecretFailure {
  if (failure.reference === undefined || failure.reference === reference) return failure;
  return new SecretFailure(failure.provider, reference, failure.reason, failure.cause);
}
