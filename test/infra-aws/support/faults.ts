import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** The engine does the work, but the SDK hears of a dropped connection and repeats the request. `any`: whatever is next. */
export function loseFirstAnswerOf(client: DynamoDBClient, command: string): () => boolean {
  let lost = false;
  client.middlewareStack.add(
    (next, context) => async (request) => {
      const answer = await next(request);
      if (lost || (command !== "any" && context.commandName !== command)) return answer;
      lost = true;
      throw Object.assign(new Error("socket hang up"), { name: "TimeoutError", code: "ECONNRESET" });
    },
    { step: "deserialize", priority: "low" },
  );
  return () => lost;
}

/** The first requests of a command fail before they reach the engine. Returns how many did. */
export function failFirst(client: DynamoDBClient, command: string, times: number, failure: Error): () => number {
  let failed = 0;
  client.middlewareStack.add(
    (next, context) => async (request) => {
      if (context.commandName !== command || failed >= times) return next(request);
      failed++;
      throw failure;
    },
    { step: "initialize" },
  );
  return () => failed;
}

/** Everything fails, before it reaches the engine, once a request of a command was answered. */
export function failAfter(client: DynamoDBClient, command: string, failure: Error): void {
  let answered = false;
  client.middlewareStack.add(
    (next, context) => async (request) => {
      if (answered) throw failure;
      const answer = await next(request);
      answered = context.commandName === command;
      return answer;
    },
    { step: "initialize" },
  );
}

/** Something else happens right before the first request of a command. */
export function beforeFirst(client: DynamoDBClient, command: string, happens: () => Promise<unknown>): () => boolean {
  let happened = false;
  client.middlewareStack.add(
    (next, context) => async (request) => {
      if (!happened && context.commandName === command) {
        happened = true;
        await happens();
      }
      return next(request);
    },
    { step: "initialize" },
  );
  return () => happened;
}

/** Names of the commands from now on, in their order. */
export function commandsOf(client: DynamoDBClient): readonly string[] {
  const names: string[] = [];
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      (request) => {
        names.push(commandName);
        return next(request);
      },
    { step: "initialize" },
  );
  return names;
}
