import type { DocumentedOperation } from "./documented.ts";
import { EXAMPLE_CALLS, type ExampleCall } from "./example-calls.ts";
import type { Caller, World } from "./people.ts";

export interface MadeCall {
  readonly answer: Response;
  readonly example: ExampleCall;
}

export interface CallOptions {
  /** Whose records the call is about where they are somebody's own; the caller's unless stated. */
  readonly subject?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Instead of the example's. */
  readonly body?: unknown;
  /** Instead of whatever the path names. */
  readonly path?: string;
  /** One that was made before, and not used up. */
  readonly example?: ExampleCall | undefined;
}

/**
 * Calls an operation with its example.
 * @throws Error when it has none
 */
export async function callExample(
  world: World,
  operation: DocumentedOperation,
  caller: Caller,
  { subject = caller.userId ?? world.ownerId, headers = {}, query = {}, ...instead }: CallOptions = {},
): Promise<MadeCall> {
  const { operationId, method, path } = operation;
  const makeExample = EXAMPLE_CALLS[operationId];
  if (makeExample === undefined) throw new Error(`${operationId} has no example call`);
  const credentials = await caller.credentials();
  const example = instead.example ?? (await makeExample(world, { userId: subject, credentials }));
  const { cookie } = example;
  const body = instead.body ?? example.body;
  const parameters = String(new URLSearchParams({ ...example.query, ...query }));
  const answer = await world.product.send(`${filled(path, example, instead.path)}${parameters && `?${parameters}`}`, {
    method: method.toUpperCase(),
    headers: {
      ...credentials,
      ...(cookie !== undefined && { Cookie: [credentials.Cookie, cookie].filter(Boolean).join("; ") }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { answer, example };
}

function filled(template: string, { path = {} }: ExampleCall, instead: string | undefined): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = instead ?? path[name];
    if (value === undefined) throw new Error(`the example of ${template} has no ${name}`);
    return encodeURIComponent(value);
  });
}
