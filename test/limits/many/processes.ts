import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { joinDynamo } from "../../support/dynamodb.ts";
import type { Instances } from "./instances.ts";
import type { Round } from "./round.ts";

/** So many instances on DynamoDB, in processes of ten. */
const IN_ONE = 10;

export async function processes(count: number): Promise<Instances> {
  const dynamo = await joinDynamo();
  const tables = JSON.stringify(await dynamo.createTables());
  const children = Array.from({ length: count / IN_ONE }, () =>
    fork(join(import.meta.dirname, "process.ts"), [tables, String(IN_ONE)]),
  );
  await Promise.all(children.map((child) => once(child, "message")));
  const ask = async (child: ChildProcess, round: Round): Promise<readonly string[]> => {
    const answered = once(child, "message");
    child.send(round);
    return ((await answered) as [readonly string[]])[0];
  };
  return {
    take: async (round) => (await Promise.all(children.map((child) => ask(child, round)))).flat(),
    stop: async () => {
      const exits = children.map((child) => once(child, "exit"));
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(exits);
      await dynamo.stop();
    },
  };
}
