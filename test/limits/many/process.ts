import { dynamoStores } from "../../../infra/aws/dynamodb/stores.ts";
import type { TableNames } from "../../../infra/aws/dynamodb/tables.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import { AMONG_OTHERS, createLimiter } from "../../../lib/limits/create-limiter.ts";
import { joinDynamo } from "../../support/dynamodb.ts";
import { type Round, takeRound } from "./round.ts";

/** Several instances that count as Lambda functions do, each with a client of its own; what they are asked for comes as a message. */
const [tables = "", count = ""] = process.argv.slice(2);
const dynamo = await joinDynamo();
const clock = { now: () => Date.now() };
const logger = { warn: (message: string, fields?: unknown) => console.error(message, fields) };
const limiters = Array.from({ length: Number(count) }, () => {
  const options = { client: dynamo.client(), tables: JSON.parse(tables) as TableNames, clock, random: webCryptoRandom };
  return createLimiter({ stores: dynamoStores(options), clock, logger }, AMONG_OTHERS);
});

process.on("message", async (round: Round) => {
  const granted = await Promise.all(limiters.map((limiter) => takeRound(limiter, round)));
  process.send?.(granted.flat());
});
process.send?.("ready");
