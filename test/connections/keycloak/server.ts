import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Missing } from "../../other-sdks/missing.ts";
import { runToEnd } from "../../other-sdks/process.ts";
import { freePort } from "../../support/free-port.ts";
import { CLIENT, PEOPLE, passwordOf, REALMS } from "./realms.ts";

const ARTIFACT = "org.keycloak:keycloak-quarkus-dist:26.7.3:zip";
const UNPACK = "org.apache.maven.plugins:maven-dependency-plugin:2.8:unpack";
const OLDEST_JAVA = 17;
/** A registry may be slow. */
const UNPACK_WITHIN_S = 300;
/** Milliseconds; half a minute on two quiet cores, of which the first half builds the server. */
const READY_WITHIN = 600_000;

/** Keycloak with the realms of `realms.ts`, on loopback, with a database in memory. */
export interface Keycloak {
  readonly origin: string;
  stop(): Promise<void>;
}

/**
 * Unpacks and starts Keycloak in a folder. What Maven downloads stays in Maven's own repository.
 *
 * @param home an empty folder
 * @throws {Missing} without Java or Maven, or where Maven does not get Keycloak
 */
export async function startKeycloak(home: string): Promise<Keycloak> {
  await findJava(home);
  const folder = await unpacked(home);
  const imports = join(folder, "data", "import");
  await mkdir(imports, { recursive: true });
  for (const [name, maxReuse] of Object.entries(REALMS)) {
    await writeFile(join(imports, `${name}.json`), JSON.stringify(realmOf(name, maxReuse)));
  }
  const port = String(await freePort());
  const flags = ["--db=dev-mem", "--cache=local", "--http-host=127.0.0.1", `--http-port=${port}`, "--import-realm"];
  const child = spawn("bash", [join(folder, "bin", "kc.sh"), "start-dev", ...flags], {
    cwd: home,
    // It lives for a minute, so code that is compiled quickly is better than quick code.
    env: { ...process.env, JAVA_OPTS_KC_HEAP: "-Xms64m -Xmx512m", JAVA_OPTS_APPEND: "-XX:TieredStopAtLevel=1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  process.once("exit", () => child.kill());
  try {
    await listening(child);
  } catch (error) {
    await stopped(child);
    throw error;
  }
  return { origin: `http://127.0.0.1:${port}`, stop: () => stopped(child) };
}

async function findJava(home: string): Promise<void> {
  const { code, output } = await runToEnd({ command: "java", args: ["-version"], home }, UNPACK_WITHIN_S);
  if (code === "ENOENT") throw new Missing("Java is missing.");
  const [, version] = /version "(\d+)/.exec(output) ?? [];
  if (Number(version) < OLDEST_JAVA) throw new Missing(`Java ${OLDEST_JAVA} is missing: there is Java ${version}.`);
}

/** @returns the folder of the distribution */
async function unpacked(home: string): Promise<string> {
  const to = join(home, "distribution");
  const markers = join(home, "markers");
  const settings = [`-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${to}`, `-DmarkersDirectory=${markers}`];
  const args = ["-B", "-q", UNPACK, ...settings];
  const { code, output } = await runToEnd({ command: "mvn", args, home }, UNPACK_WITHIN_S);
  if (code === "ENOENT") throw new Missing("Maven is missing.");
  const why = output.split("\n").find((line) => line.includes("[ERROR]")) ?? `mvn ended with ${code}`;
  if (code !== 0) throw new Missing(`${ARTIFACT} is missing: ${why.replace("[ERROR]", "").trim().slice(0, 400)}`);
  const [name = ""] = await readdir(to);
  return join(to, name);
}

/** The representation that Keycloak imports. */
function realmOf(realm: string, refreshTokenMaxReuse: number): object {
  const client = {
    ...{ clientId: CLIENT.id, secret: CLIENT.secret, publicClient: false, redirectUris: CLIENT.redirectURLs },
    // Of the tests that look at what Keycloak does about tokens that come again.
    directAccessGrantsEnabled: true,
    attributes: { "pkce.code.challenge.method": "S256" },
  };
  const users = PEOPLE.map((username) => ({
    ...{ username, enabled: true, email: `${username}@saas.example`, emailVerified: true },
    ...{ firstName: username, lastName: "Example" },
    credentials: [{ type: "password", value: passwordOf(username), temporary: false }],
    // Whoever is imported has no others; these bring `offline_access`.
    realmRoles: [`default-roles-${realm}`],
  }));
  return {
    ...{ realm, enabled: true, revokeRefreshToken: true, refreshTokenMaxReuse, accessTokenLifespan: 300 },
    ...{ clients: [client], users },
  };
}

async function listening(child: ChildProcess): Promise<void> {
  let said = "";
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`Keycloak ${why}:\n${said}`));
    const timer = setTimeout(() => fail("is not ready"), READY_WITHIN);
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (!said.includes("Listening on:")) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${signal ?? code}`);
    });
  });
}

/** Its script hands the signal on while it builds, and has become Java afterwards. */
async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  await exit;
}
