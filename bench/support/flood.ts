import { setTimeout as passed } from "node:timers/promises";
import { caller, INITIALIZE } from "./crowd.ts";

/** Begins sessions at a rate, whatever is answered. Arguments: port, own address, requests a second, milliseconds. */
const [port = "", address = "", rate = "", time = ""] = process.argv.slice(2);
const from = caller(Number(port), address, 64);
const answers = new Map<number, number>();
const running: Promise<void>[] = [];

async function send(): Promise<void> {
  const { status, headers } = await from.post(INITIALIZE);
  // A refusal that does not say when to come again counts as none.
  const counted = status === 429 && headers["retry-after"] === undefined ? 0 : status;
  answers.set(counted, (answers.get(counted) ?? 0) + 1);
}

const startedAt = performance.now();
for (let sent = 0; performance.now() - startedAt < Number(time); await passed(5)) {
  const due = Math.floor(((performance.now() - startedAt) / 1000) * Number(rate));
  for (; sent < due; sent++) running.push(send());
}
await Promise.all(running);
from.close();
process.send?.([...answers], () => process.disconnect());
