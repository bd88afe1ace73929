import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { awsEntry, openAwsSecrets, parseAwsUrl } from "../../lib/secrets/aws/open.ts";
import type { SecretSources } from "../../lib/secrets/provider.ts";
import { freePort } from "../support/free-port.ts";
import { failureOf } from "./servers/failure.ts";
import { movableClock } from "./servers/movable-clock.ts";
import { failure, type StandInSecretsManager, startSecretsManager } from "./servers/secrets-manager.ts";

const KEY = "AKIDEXAMPLE";
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const ARN = "arn:aws:secretsmanager:us-east-2:123456789012:secret:prod/db-AbCdEf";

let aws: StandInSecretsManager;

beforeEach(async () => {
  aws = await startSecretsManager();
  aws.accessKeys.add(KEY);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

function open({
  port = aws.port,
  credentials = `&accessKeyID=${KEY}&secretAccessKey=${SECRET}`,
  ...more
}: Opening = {}) {
  const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`);
  const sources = { fetch, openFetch: undefined, clock: movableClock(), environment: {}, ...more };
  return openAwsSecrets(
    `awssecretsmanager://amazonaws.com?region=us-east-2&endpoint=${endpoint}${credentials}`,
    sources,
  );
}

interface Opening extends Partial<SecretSources> {
  readonly port?: number;
  readonly credentials?: string;
}

const get = async (reference: string, opening?: Opening) => (await open(opening)).get(reference);
const refused = (reference: string, opening?: Opening) =>
  failureOf(() => get(reference, opening), [SECRET, "hunter2", "123456789012:user"]);

describe("a secret in AWS Secrets Manager, read by AWS's own client", () => {
  test.each([
    ["plain", "plain", "text of its own"],
    ["prod/db:password", "prod/db", '{"password":"text of its own"}'],
    ["db.password", "db", '{"password":"text of its own"}'],
    ["my.app:db.password", "my.app", '{"db.password":"text of its own"}'],
    [ARN, ARN, "text of its own"],
    [`${ARN}:password`, ARN, '{"password":"text of its own"}'],
  ])("<%s> is taken from %s", async (reference, name, text) => {
    aws.secrets.set(name, { text });
    expect(await get(reference)).toBe("text of its own");
  });

  test("requests are signed for the region with the credentials of the URL", async () => {
    aws.secrets.set("plain", { text: "x" });
    await get("plain");
    expect(aws.authorizations[0]).toMatch(/Credential=AKIDEXAMPLE\/\d{8}\/us-east-2\/secretsmanager\/aws4_request/);
  });

  test("without credentials in the URL, the SDK finds those of the runtime", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDRUNTIME");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", SECRET);
    aws.accessKeys.add("AKIDRUNTIME");
    aws.secrets.set("plain", { text: "x" });
    expect(await get("plain", { credentials: "" })).toBe("x");
    expect(aws.authorizations[0]).toContain("Credential=AKIDRUNTIME/");
  });

  test("fields of one secret that are wanted at the same time are read once", async () => {
    aws.secrets.set("db", { text: '{"user":"u","password":"p","port":5432}' });
    const secrets = await open();
    const values = await Promise.all(["db.user", "db:password", "db.port"].map((reference) => secrets.get(reference)));
    expect(values).toEqual(["u", "p", "5432"]);
    expect(aws.asked).toHaveLength(1);
  });

  test("what fails for a moment is tried again", async () => {
    aws.secrets.set("plain", { text: "x" });
    let failures = 2;
    aws.before = () => (failures-- > 0 ? failure("InternalServiceError") : undefined);
    expect(await get("plain")).toBe("x");
  });
});

describe("what AWS Secrets Manager refuses", () => {
  test.each([
    ["ResourceNotFoundException", "there is no such secret in this region, or it has no value"],
    ["AccessDeniedException", "these credentials may not read it, or not use its KMS key"],
    ["DecryptionFailure", "its KMS key does not decrypt it"],
    ["InvalidRequestException", "it is marked for deletion, or managed by a service that does not give it"],
    ["ExpiredTokenException", "the credentials have expired"],
    ["InvalidSignatureException", "the secret access key does not fit the access key ID, or the clock is wrong"],
  ])("%s is told by what it means", async (error, meaning) => {
    aws.secrets.set("db", { error });
    expect(await refused("db.password")).toBe(
      `awssecretsmanager has not given the secret <db.password>: ${meaning} (${error})`,
    );
  });

  test.each([
    ["an error that is not known", { error: "SomethingNewException" }, ": status 400 (SomethingNewException)"],
    ["a binary secret", { binary: "hunter2" }, ": it is binary; accepted: text"],
    ["no JSON", { text: "hunter2" }, ": the secret db is no JSON object with a field password"],
    ["a missing field", { text: '{"user":"hunter2"}' }, ": the secret db has no field password"],
    ["an empty field", { text: '{"password":""}' }, ": the secret db has nothing in its field password"],
  ])("%s", async (_, secret, reason) => {
    aws.secrets.set("db", secret);
    expect(await refused("db.password")).toContain(reason);
  });

  test("an empty secret", async () => {
    aws.secrets.set("db", { text: "" });
    expect(await refused("db")).toContain(": the secret db is empty");
  });

  test("an access key that is not known", async () => {
    aws.accessKeys.clear();
    expect(await refused("db")).toContain("the access key ID is not known (UnrecognizedClientException)");
  });

  test("no credentials anywhere", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"]) vi.stubEnv(name, undefined);
    for (const name of ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"]) vi.stubEnv(name, "/nowhere");
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    expect(await refused("db", { credentials: "" })).toContain("there are no credentials: none in the URL");
  });

  test.each([
    ["no JSON", () => new Response("<html>hunter2</html>"), "its answer is no JSON"],
    [
      "huge",
      () => new Response(JSON.stringify({ SecretString: "x".repeat(1_100_000) })),
      "its answer is larger than 1048576 bytes",
    ],
    ["no answer in time", () => new Promise<Response>(() => undefined), "no answer within 0.3 s", 300],
  ])("an answer that is %s", async (_, answer, reason, timeout?: number) => {
    aws.before = answer;
    expect(await refused("db", timeout === undefined ? {} : { timeout })).toContain(`: ${reason}`);
  });

  test("a redirect, which takes neither the session token nor the request along", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", KEY);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", SECRET);
    vi.stubEnv("AWS_SESSION_TOKEN", "hunter2");
    const other = await startSecretsManager();
    const Location = `http://localhost:${other.port}/`;
    aws.before = () => new Response("{}", { status: 307, headers: { Location } });
    expect(await refused("plain", { credentials: "" })).toContain(
      "awssecretsmanager has not given the secret <plain>: ",
    );
    expect(aws.asked).not.toEqual([]);
    expect(other.asked).toEqual([]);
    await other.close();
  });

  test("a server that is not there", async () => {
    expect(await refused("db", { port: await freePort() })).toContain(": the connection failed (ECONNREFUSED)");
  });

  test("an ARN of something else is refused before anything is asked", async () => {
    expect(await refused("arn:aws:iam::123456789012:role/app")).toContain(": the ARN is not that of a secret");
    expect(aws.asked).toEqual([]);
  });
});

describe("the URL of AWS Secrets Manager", () => {
  test("names region, credentials and endpoint", () => {
    const url = "awssecretsmanager://amazonaws.com?region=eu-west-2&accessKeyID=a&secretAccessKey=b+c/d%3D";
    expect(parseAwsUrl(url, {})).toEqual({
      scheme: "awssecretsmanager",
      region: "eu-west-2",
      credentials: { accessKeyId: "a", secretAccessKey: "b+c/d=" },
    });
  });

  test("the region may be the runtime's", () => {
    expect(parseAwsUrl("awssecretsmanager://amazonaws.com", { AWS_REGION: "us-gov-west-1" }).region).toBe(
      "us-gov-west-1",
    );
  });

  test.each([
    ["another host", "us-east-2/my-secret", "takes the host amazonaws.com and no path"],
    ["a path", "amazonaws.com/my-secret?region=us-east-2", "takes the host amazonaws.com and no path"],
    ["no region", "amazonaws.com", "needs the parameter region"],
    ["a region that is none", "amazonaws.com?region=hunter2", "takes as region the name of an AWS region"],
    [
      "half of the credentials",
      "amazonaws.com?region=us-east-2&accessKeyID=hunter2",
      "needs the parameter secretAccessKey",
    ],
    ["the other half", "amazonaws.com?region=us-east-2&secretAccessKey=hunter2", "needs the parameter accessKeyID"],
    [
      "an endpoint with a path",
      "amazonaws.com?region=us-east-2&endpoint=http://x/hunter2",
      "takes as endpoint an http or https URL",
    ],
    [
      "an unknown parameter",
      "amazonaws.com?region=us-east-2&sessionToken=hunter2",
      "has the unknown parameter sessionToken; accepted: region",
    ],
  ])("with %s is refused, and no value is quoted", async (_, rest, message) => {
    expect(await failureOf(() => parseAwsUrl(`awssecretsmanager://${rest}`, {}), ["hunter2"])).toContain(message);
  });

  test.each(["arn:aws:secretsmanager:us-east-2:1:secret", "arn:aws:secretsmanager:us-east-2:1:secret:", "arn:"])(
    "%s names no secret",
    (reference) => {
      expect(awsEntry(reference)).toBeUndefined();
    },
  );
});
