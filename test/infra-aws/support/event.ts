import type { LambdaFunctionURLEvent, ScheduledEvent } from "aws-lambda";

export interface EventFields {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** What EventBridge invokes a function with on a schedule (EventBridge user guide, "Scheduled Event"). */
export function scheduledEvent(time: string): ScheduledEvent {
  return {
    version: "0",
    id: "53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa",
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: "123456789012",
    time,
    region: "us-east-2",
    resources: ["arn:aws:events:us-east-2:123456789012:rule/countersign-us-minute"],
    detail: {},
  };
}

/** A Function URL event of a caller at 192.0.2.1. */
export function eventOf(fields: EventFields = {}): LambdaFunctionURLEvent {
  const { method = "GET", path = "/", query = "", headers = {}, cookies, body, isBase64Encoded = false } = fields;
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: query,
    headers: { host: "url.example", ...headers },
    ...(cookies !== undefined && { cookies: [...cookies] }),
    ...(body !== undefined && { body }),
    isBase64Encoded,
    requestContext: {
      accountId: "anonymous",
      apiId: "url",
      domainName: "url.example",
      domainPrefix: "url",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "test" },
      requestId: "request",
      routeKey: "$default",
      stage: "$default",
      time: "20/Nov/2026:00:00:00 +0000",
      timeEpoch: 0,
    },
  };
}
