import { createSocket, type Socket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveName } from "../../infra/node/net/agent-supplied.ts";

describe("names that strangers choose", () => {
  let silent: Socket;
  let servers: readonly string[];
  beforeAll(async () => {
    silent = createSocket("udp4").bind(0, "127.0.0.1");
    await once(silent, "listening");
    servers = [`127.0.0.1:${silent.address().port}`];
  });
  afterAll(() => void silent.close());

  test("21. hold nobody else's up, however many of them have servers that do not answer", async () => {
    const names = Array.from({ length: 20 }, (_, number) => `n${number}.agent.example`);
    let ended = 0;
    const asked = names.map((name) => resolveName(name, servers).finally(() => ended++));
    await once(silent, "message");
    await lookup("localhost");
    expect(ended).toBe(0);
    for (const answer of await Promise.allSettled(asked)) expect(answer.status).toBe("rejected");
  });
});
