import { RequestError } from "../request-error.ts";

/** Characters; far more than an API reads. */
const LIMIT = 4 * 1024 * 1024;

/**
 * Counts the names that one argument makes, and throws a `RequestError` when they are too long in all. Lists and deep objects repeat the
 * names above them for each entry: a message of four megabytes could ask for a request of a hundred thousand times as much.
 */
export function countNames(argument: string): (name: string) => void {
  let length = 0;
  return (name) => {
    length += name.length;
    if (length > LIMIT) throw new RequestError(argument, "repeats names that are too long");
  };
}
