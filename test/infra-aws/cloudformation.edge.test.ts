import { beforeAll, describe, expect, test } from "vitest";
import { TABLE_SCHEMA, TABLE_VARIABLES, TTL_ATTRIBUTE } from "../../infra/aws/dynamodb/tables.ts";
import {
  ORIGIN_HEADER,
  ORIGIN_SECRET_VARIABLE,
  VIEWER_ADDRESS_HEADER,
  VIEWER_HOST_HEADER,
} from "../../infra/aws/front.ts";
import { LONGEST_UPSTREAM_TIMEOUT } from "../../lib/config/rules/runtimes.ts";
import { buildFunctions, type PackagedStage, packageStage, type Resource } from "./support/serverless-package.ts";

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource?: unknown;
}

const REGIONS = { us: "us-east-2", uk: "eu-west-2" } as const;

beforeAll(buildFunctions);

describe.each(["us", "uk"] as const)("the CloudFormation of stage %s", (stage) => {
  let packaged: PackagedStage;

  beforeAll(async () => {
    packaged = await packageStage(stage);
  });

  const ofType = (type: string): readonly Resource[] =>
    Object.values(packaged.resources).filter((resource) => resource.Type === type);
  const only = (type: string): Readonly<Record<string, unknown>> => {
    expect(ofType(type)).toHaveLength(1);
    return (ofType(type)[0] as Resource).Properties;
  };

  test("deploys to the stage's region", () => {
    expect(packaged.region).toBe(REGIONS[stage]);
  });

  test("grants no action and no resource by wildcard", () => {
    const granted = allowed(packaged.resources);
    expect(granted.length).toBeGreaterThanOrEqual(5);
    for (const { Action, Resource } of granted) {
      expect(JSON.stringify(Action)).not.toContain("*");
      expect(JSON.stringify(Resource ?? "")).not.toContain("*");
    }
  });

  test("rings once a minute, and lets this rule alone do so", () => {
    const [[name, rule] = [], ...others] = Object.entries(packaged.resources).filter(
      ([, { Type }]) => Type === "AWS::Events::Rule",
    );
    expect(others).toEqual([]);
    expect(rule?.Properties).toMatchObject({ ScheduleExpression: "cron(* * * * ? *)", State: "ENABLED" });
    const targets = rule?.Properties.Targets as readonly object[];
    expect(targets).toHaveLength(1);
    // An `Input` would take the place of EventBridge's own event, which the function knows the schedule by.
    expect(Object.keys(targets[0] ?? {}).sort()).toEqual(["Arn", "Id"]);
    const permissions = ofType("AWS::Lambda::Permission").map(({ Properties }) => Properties);
    expect(permissions.filter(({ Principal }) => Principal !== "*")).toEqual([
      expect.objectContaining({
        Action: "lambda:InvokeFunction",
        Principal: "events.amazonaws.com",
        SourceArn: { "Fn::GetAtt": [name, "Arn"] },
      }),
    ]);
  });

  test("lets everybody invoke the function through its URL and in no other way", () => {
    const all = ofType("AWS::Lambda::Permission").map(({ Properties }) => Properties);
    const permissions = all.filter(({ Principal }) => Principal === "*");
    expect(permissions.map(({ Action }) => Action).sort()).toEqual([
      "lambda:InvokeFunction",
      "lambda:InvokeFunctionUrl",
    ]);
    for (const { Action, FunctionUrlAuthType, InvokedViaFunctionUrl } of permissions) {
      if (Action === "lambda:InvokeFunction") expect(InvokedViaFunctionUrl).toBe(true);
      else expect(FunctionUrlAuthType).toBe("NONE");
    }
  });

  test("streams answers through the Function URL", () => {
    expect(only("AWS::Lambda::Url")).toMatchObject({ InvokeMode: "RESPONSE_STREAM", AuthType: "NONE" });
  });

  test("runs the stage's bundle on Node 24 with the tables' names and the Console beside it", () => {
    const properties = only("AWS::Lambda::Function");
    expect(properties).toMatchObject({ Runtime: "nodejs24.x", Handler: `dist/lambda/${stage}/handler.handler` });
    const { Variables } = properties.Environment as { Variables: Readonly<Record<string, unknown>> };
    expect(Variables.REGION).toBe(stage);
    for (const variable of Object.values(TABLE_VARIABLES)) expect(Variables[variable]).toHaveProperty("Ref");
    const script = "console/assets/index-BtR1x9Qz.js";
    const onDemand = new RegExp(`^dist/lambda/${stage}/[\\w-]+-[A-Z0-9]{8}\\.mjs$`);
    expect([...packaged.files].filter((name) => !onDemand.test(name)).sort()).toEqual(
      [
        "configuration.json",
        "console/assets/_shared-D4-eWq_7.css",
        script,
        `${script}.br`,
        `${script}.gz`,
        "console/favicon.svg",
        "console/index.html",
        "handler.mjs",
      ].map((name) => `dist/lambda/${stage}/${name}`),
    );
  });

  test("holds no secret, only references that CloudFormation resolves", () => {
    const { Variables } = only("AWS::Lambda::Function").Environment as { Variables: Readonly<Record<string, string>> };
    const secrets = [ORIGIN_SECRET_VARIABLE, "CS_COUNTERSIGN_SETUP_TOKEN", "CS_COUNTERSIGN_ID_SECRET"];
    for (const name of secrets) {
      expect(Variables[name]).toMatch(
        new RegExp(`^{{resolve:secretsmanager:countersign/${stage}:SecretString:[a-z-]+::[0-9a-f-]{36}}}$`),
      );
    }
  });

  test("keeps every table with point-in-time recovery, encryption and expiry, with the keys that the stores use", () => {
    const tables = ofType("AWS::DynamoDB::Table");
    expect(tables).toHaveLength(3);
    for (const { Properties, DeletionPolicy } of tables) {
      expect(Properties).toMatchObject(TABLE_SCHEMA);
      expect(Properties).toMatchObject({
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
        TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: true },
      });
      expect(DeletionPolicy).toBe("Retain");
    }
  });

  test("puts one CloudFront domain in front that proves itself, caches nothing and tells who the viewer is", () => {
    const { DistributionConfig } = only("AWS::CloudFront::Distribution") as {
      DistributionConfig: Record<string, unknown>;
    };
    const { Origins, DefaultCacheBehavior, Aliases } = DistributionConfig as {
      Origins: readonly { OriginCustomHeaders: readonly { HeaderName: string }[] }[];
      DefaultCacheBehavior: Readonly<Record<string, unknown>>;
      Aliases: readonly string[];
    };
    const { Variables } = only("AWS::Lambda::Function").Environment as { Variables: Readonly<Record<string, string>> };
    expect(Aliases.map((domain) => `https://${domain}`)).toEqual([Variables.PUBLIC_URL]);
    expect(Origins.map(({ OriginCustomHeaders }) => OriginCustomHeaders)).toEqual([
      [{ HeaderName: ORIGIN_HEADER, HeaderValue: Variables[ORIGIN_SECRET_VARIABLE] }],
    ]);
    expect(DefaultCacheBehavior).toMatchObject({
      ViewerProtocolPolicy: "https-only",
      CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
      OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
    });
    const { FunctionCode } = only("AWS::CloudFront::Function");
    expect(FunctionCode).toContain(`"${VIEWER_HOST_HEADER}"`);
    expect(FunctionCode).toContain(`"${VIEWER_ADDRESS_HEADER}"`);
  });

  test("lets a version of the challenge function of us-east-1 see every answer of the function", () => {
    const { DistributionConfig } = only("AWS::CloudFront::Distribution") as {
      DistributionConfig: { readonly DefaultCacheBehavior: Readonly<Record<string, unknown>> };
    };
    // No CloudFront Function could: none is asked about an answer with 400 or more.
    expect(DistributionConfig.DefaultCacheBehavior.LambdaFunctionAssociations).toEqual([
      {
        EventType: "origin-response",
        LambdaFunctionARN: expect.stringMatching(/^arn:aws:lambda:us-east-1:\d{12}:function:[\w-]+:\d+$/),
      },
    ]);
    expect(DistributionConfig.DefaultCacheBehavior.FunctionAssociations).toMatchObject([
      { EventType: "viewer-request" },
    ]);
  });

  test("lets CloudFront keep no caller's error for another caller", () => {
    const { DistributionConfig } = only("AWS::CloudFront::Distribution") as {
      DistributionConfig: { readonly CustomErrorResponses: readonly Readonly<Record<string, number>>[] };
    };
    const codes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    // Nothing else: a ResponseCode or a page would replace the answer.
    expect(DistributionConfig.CustomErrorResponses).toEqual(
      codes.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    );
  });

  test("ends the function, and CloudFront its waiting, well after the longest call of an upstream", () => {
    const { Timeout } = only("AWS::Lambda::Function") as { readonly Timeout: number };
    const { DistributionConfig } = only("AWS::CloudFront::Distribution") as {
      DistributionConfig: {
        readonly Origins: readonly { readonly CustomOriginConfig: { readonly OriginReadTimeout: number } }[];
      };
    };
    const readTimeouts = DistributionConfig.Origins.map(
      ({ CustomOriginConfig }) => CustomOriginConfig.OriginReadTimeout,
    );
    for (const seconds of [Timeout, ...readTimeouts]) {
      expect(seconds * 1000).toBeGreaterThanOrEqual(LONGEST_UPSTREAM_TIMEOUT + 10_000);
    }
  });

  test("keeps logs for a limited time", () => {
    expect(only("AWS::Logs::LogGroup").RetentionInDays).toBe(30);
  });
});

/** Every statement that allows something, wherever in the template. */
function allowed(value: unknown): readonly Statement[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(allowed);
  return "Effect" in value && value.Effect === "Allow" ? [value as Statement, ...inside] : inside;
}
