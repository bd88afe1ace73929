import type { Finding } from "./support/finding.ts";
import { type LoadGenerator, startLoadGenerator } from "./support/load.ts";
import { type BenchOptions, flagsOfNode } from "./support/options.ts";
import { times, whole } from "./support/statistics.ts";
import { type Contender, cpuFinding, type Measurement, printMeasurements, takeTurns } from "./support/turns.ts";
import { type Entrance, type Setting, startSetting } from "./web-apps/setting.ts";
import { FILES } from "./web-apps/terms.ts";

const ROUNDS = 4;
/** Of the bare proxy's requests a second. */
const MINIMUM_RATIO = 0.6;
/** Of oauth2-proxy's CPU for a request. */
const MAXIMUM_CPU = 1;

type Size = keyof typeof FILES;

const SIZES: Readonly<Record<Size, string>> = { short: "1 KB", long: "64 KB" };

/** Files of a web app, asked for by a person who is signed in. */
export async function benchWebApps(options: BenchOptions): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const generator = await startLoadGenerator(options.folder);
  try {
    const setting = await startSetting(options, flagsOfNode());
    try {
      for (const size of ["short", "long"] as const) {
        for (const connections of new Set([1, options.connections])) {
          findings.push(...(await measure({ ...options, size, connections }, setting, generator)));
        }
      }
    } finally {
      await setting.stop();
    }
  } finally {
    await generator.stop();
  }
  return findings;
}

interface Lane extends Pick<BenchOptions, "requests" | "warmUp" | "connections"> {
  readonly size: Size;
}

async function measure(lane: Lane, setting: Setting, generator: LoadGenerator): Promise<readonly Finding[]> {
  const { bare, ours, oauth2Proxy } = setting;
  const entrances = [bare, ours, ...(oauth2Proxy === undefined ? [] : [oauth2Proxy])];
  const contenders = entrances.map((entrance) => contender(entrance, lane));
  const measured = await takeTurns(generator, contenders, ROUNDS);
  const [proxy, gateway, peer] = measured as readonly [Measurement, Measurement, Measurement?];
  const what = `web app, ${SIZES[lane.size]}, ${lane.connections} connection${lane.connections === 1 ? "" : "s"}`;
  console.log(`\n${what}, ${ROUNDS} rounds in turns`);
  printMeasurements(measured);
  const ratio = gateway.rate / proxy.rate;
  return [
    {
      what,
      measured: `${whole(gateway.rate)}/s`,
      against: `${proxy.name}: ${whole(proxy.rate)}/s`,
      ratio: times(ratio),
      target: `≥ ${times(MINIMUM_RATIO)}`,
      met: ratio >= MINIMUM_RATIO,
    },
    cpuFinding(`${what}: CPU of 1,000`, gateway, proxy),
    ...(peer === undefined ? [] : [cpuFinding(`${what}: the same`, gateway, peer, MAXIMUM_CPU)]),
  ];
}

export function contender(
  { name, pid, port, cookie }: Entrance,
  { size, connections, requests, warmUp }: Lane,
): Contender {
  const { path, expect } = FILES[size];
  const target = { host: "localhost", port };
  const request = Buffer.from(
    [`GET ${path} HTTP/1.1`, `Host: localhost:${port}`, ...BROWSER, `Cookie: theme=dark; ${cookie}`, "", ""].join(
      "\r\n",
    ),
  );
  const times = (count: number) => Array.from({ length: count }, () => request);
  return { name, pid, warmUp: times(warmUp), load: { target, requests: times(requests), connections, expect } };
}

/** What a browser sends with a request of a script. */
const BROWSER = [
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "Accept: */*",
  "Accept-Language: en-US,en;q=0.9",
  "Accept-Encoding: gzip, deflate, br, zstd",
  "Referer: http://localhost/site/",
  "Sec-Fetch-Dest: empty",
  "Sec-Fetch-Mode: cors",
  "Sec-Fetch-Site: same-origin",
];
