import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, statSync } from "node:fs";
import { join } from "node:path";
import type { PublicKeyJwk } from "../../lib/protocol/oauth/public-key.ts";
import { freePort } from "../../test/support/free-port.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { tokenForm } from "./assertions.ts";
import { startServer, storePath, writeConfiguration } from "./countersign.ts";
import { fillStore, newIdSecret } from "./filled-store.ts";
import { serializePost, type Target } from "./http-request.ts";
import { zipfRanks } from "./zipf-law.ts";

/** A server with many API clients in its store. */
export interface ManyClients {
  readonly pid: number;
  readonly target: Target;
  /** Bytes of the database before the first request. */
  readonly databaseSize: number;
  /** Token requests of clients drawn by Zipf's law, and how many clients they are of. */
  requests(count: number): { readonly requests: readonly Buffer[]; readonly distinct: number };
  stop(): Promise<void>;
}

/** A handful: what differs from client to client is the row. */
const KEY_PAIRS = 16;
const SEED = 20_260_101;

export async function startWithManyClients(parent: string, clients: number): Promise<ManyClients> {
  const folder = mkdtempSync(join(parent, "many-"));
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const idSecret = newIdSecret();
  const privateKeys = Array.from({ length: KEY_PAIRS }, () => generateKeyPairSync("ec", { namedCurve: "P-256" }));
  const keys = privateKeys.map(({ privateKey }) => privateKey);
  const ids = fillStore(storePath(folder), { clients, idSecret, publicKeys: keys.map(publicJwk) });
  const databaseSize = statSync(join(storePath(folder), "countersign.db")).size;
  const configuration = writeConfiguration(folder, port, { idSecret: idSecret.toString("base64url") });
  const { pid, stop } = await startServer(configuration, issuer);
  const target = { host: "localhost", port };
  const random = seededRandom(SEED);
  const byRank = shuffled(clients, random);
  return {
    pid,
    target,
    databaseSize,
    requests: (count) => {
      const numbers = [...zipfRanks(clients, count, random)].map((rank) => byRank[rank] as number);
      return {
        distinct: new Set(numbers).size,
        requests: numbers.map((n) => {
          const privateKey = keys[n % KEY_PAIRS] as KeyObject;
          const form = tokenForm({ clientId: ids[n] as string, privateKey, audience: issuer });
          return serializePost(target, { path: "/oauth2/token", form });
        }),
      };
    },
    stop,
  };
}

/** Which client has which rank: frequent ones are not neighbours in the table. */
function shuffled(count: number, random: () => number): Uint32Array {
  const numbers = Uint32Array.from({ length: count }, (_, n) => n);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const moved = numbers[last] as number;
    numbers[last] = numbers[other] as number;
    numbers[other] = moved;
  }
  return numbers;
}

function publicJwk(privateKey: KeyObject): PublicKeyJwk {
  return createPublicKey(privateKey).export({ format: "jwk" }) as PublicKeyJwk;
}
