import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../lib/kernel/clock.ts";
import { openAwsSecrets } from "../../lib/secrets/aws/open.ts";
import { awsHost, openAwsSecretsByFetch } from "../../lib/secrets/aws/open-by-fetch.ts";
import { awsEntry, parseAwsUrl } from "../../lib/secrets/aws/secrets-manager.ts";
import { signed } from "../../lib/secrets/aws/signature.ts";
import type { OpenSecretProvider, SecretSources } from "../../lib/secrets/provider.ts";
import { freePort } from "../support/free-port.ts";
import { failureOf } from "./servers/failure.ts";
import { failure, type StandInSecretsManager, startSecretsManager } from "./servers/secrets-manager.ts";

const KEY = "AKIDEXAMPLE";
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const ARN = "arn:aws:secretsmanager:us-east-2:123456789012:secret:prod/db-AbCdEf";

let aws: StandInSecretsManager;

beforeEach(async () => {
  aws = await startSecretsManager();
  aws.accessKeys.set(KEY, SECRET);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

interface Opening extends Partial<SecretSources> {
  readonly port?: number;
  readonly credentials?: string;
}

/** Variables for AWS's client, which reads those of the process, and for ours. */
function withVariables(variables: Readonly<Record<string, string>>): Pick<SecretSources, "environment"> {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return { environment: variables };
}

describe.each<[string, OpenSecretProvider]>([
  ["AWS's own client", openAwsSecrets],
  ["requests that we sign", openAwsSecretsByFetch],
])("a secret in AWS Secrets Manager, read by %s", (_, opener) => {
  const open = async ({
    port = aws.port,
    credentials = `&accessKeyID=${KEY}&secretAccessKey=${SECRET}`,
    ...more
  }: Opening = {}) => {
    const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`);
    const sources = { fetch, openFetch: undefined, clock: systemClock, environment: {}, ...more };
    const url = `awssecretsmanager://amazonaws.com?region=us-east-2&endpoint=${endpoint}${credentials}`;
    return opener(url, sources);
  };
  const get = async (reference: string, opening?: Opening) => (await open(opening)).get(reference);
  const refused = (reference: string, opening?: Opening) =>
    failureOf(() => get(reference, opening), [SECRET, "hunter2", "123456789012:user"]);

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

  test("without credentials in the URL, those of the runtime are used, with their session token", async () => {
    const variables = {
      AWS_ACCESS_KEY_ID: "AKIDRUNTIME",
      AWS_SECRET_ACCESS_KEY: SECRET,
      AWS_SESSION_TOKEN: "of/the+session==",
    };
    aws.accessKeys.set("AKIDRUNTIME", SECRET);
    aws.secrets.set("plain", { text: "x" });
    expect(await get("plain", { credentials: "", ...withVariables(variables) })).toBe("x");
    expect(aws.authorizations[0]).toMatch(/Credential=AKIDRUNTIME\/.*SignedHeaders=[a-z0-9;-]*x-amz-security-token/);
  });

  test("a name is sent as it is, also one that is no ASCII", async () => {
    aws.secrets.set('é "/x', { text: "x" });
    expect(await get('é "/x')).toBe("x");
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

    test("another secret access key", async () => {
      const credentials = `&accessKeyID=${KEY}&secretAccessKey=hunter2`;
      expect(await refused("db", { credentials })).toContain("the secret access key does not fit the access key ID");
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
      const variables = { AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: SECRET, AWS_SESSION_TOKEN: "hunter2" };
      const other = await startSecretsManager();
      const Location = `http://localhost:${other.port}/`;
      aws.before = () => new Response("{}", { status: 307, headers: { Location } });
      expect(await refused("plain", { credentials: "", ...withVariables(variables) })).toContain(
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
});

describe("what we sign", () => {
  const credentials = { accessKeyId: KEY, secretAccessKey: SECRET };
  const options = { credentials, region: "us-east-1", service: "service", now: Date.UTC(2015, 7, 30, 12, 36) };
  const url = new URL("https://example.amazonaws.com/");
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const SESSION =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

  // Signature Version 4 test suite of AWS, by the names of its cases.
  test.each([
    ["get-vanilla", { method: "GET" }, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    ["post-vanilla", {}, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
    [
      "post-header-key-sort",
      { headers: { "My-Header1": "value1" } },
      "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
    ],
    [
      "post-x-www-form-urlencoded",
      { headers: form, body: "Param1=value1" },
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
  ] as const)("has the signature of AWS's %s", (_, request, signature) => {
    const { Authorization } = signed({ method: "POST", url, headers: {}, body: "", ...request }, options);
    expect(Authorization?.split("Signature=")[1]).toBe(signature);
  });

  test("has the signature of AWS's post-sts-header-before, with the token in it", () => {
    const temporary = { ...options, credentials: { ...credentials, sessionToken: SESSION } };
    const headers = signed({ method: "POST", url, headers: {}, body: "" }, temporary);
    expect(headers["X-Amz-Security-Token"]).toBe(SESSION);
    expect(headers.Authorization?.split("Signature=")[1]).toBe(
      "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
    );
  });

  test.each([
    "us-east-2",
    "eu-west-2",
    "us-gov-west-1",
    "cn-north-1",
    "eusc-de-east-1",
    "us-iso-east-1",
    "us-isob-east-1",
    "us-isof-south-1",
    "eu-isoe-west-1",
  ])("goes to the host that AWS's client has for %s", (region) => {
    const { endpointProvider } = new SecretsManagerClient({ region }).config as unknown as {
      endpointProvider(of: object): { readonly url: URL };
    };
    expect(awsHost(region)).toBe(endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false }).url.host);
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
