/** Environment variables that `setup.ts` gives to the processes of the tests. Absent outside of vitest. */
export const SHARED_FOLDER = "COUNTERSIGN_TEST_FOLDER";
export const SHARED_DYNAMO = "COUNTERSIGN_TEST_DYNAMODB";
export const SHARED_COMMAND = "COUNTERSIGN_TEST_COMMAND";

/** Part of the environment of each Node process that inherits none: so it finds what others of the run have compiled. */
export function compiledOnce(): Readonly<Record<string, string>> {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}
