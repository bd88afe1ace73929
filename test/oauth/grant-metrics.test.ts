import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Attributes } from "../../lib/telemetry/attributes.ts";
import type { Telemetry } from "../../lib/telemetry/telemetry.ts";
import {
  askToken,
  codeForm,
  exchangeForm,
  refreshForm,
  startChain,
  startWithApps,
  tokensOf,
} from "../support/chains.ts";
import type { InProcess } from "../support/in-process.ts";
import { TOKEN_EXCHANGE } from "../support/oauth-apps.ts";

describe("metrics of the grants", () => {
  const recorded: { readonly metric: string; readonly value: number; readonly attributes: Attributes }[] = [];
  const telemetry: Telemetry = {
    startSpan: () => undefined,
    record: (metric, value, attributes) => void recorded.push({ metric, value, attributes }),
    countActive: (method) => void method,
    countSession: () => undefined,
  };
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps({}, { adapt: (dependencies) => ({ ...dependencies, telemetry }) });
  });
  afterAll(() => product.close());

  test("count each request by grant and outcome, and time the exchanges", async () => {
    const { code } = await startChain(product);
    const { access_token, refresh_token } = tokensOf(await askToken(product, "agent", codeForm(code)));
    await askToken(product, "agent", refreshForm(refresh_token));
    await askToken(product, "agent", refreshForm("unknown"));
    await askToken(product, "gateway", exchangeForm(access_token));
    await askToken(product, "gateway", exchangeForm("unknown"));
    await askToken(product, "gateway", { grant_type: "password" });
    const of = (name: string) => recorded.filter(({ metric }) => metric === name);
    const labels = of("countersign.token.requests").map(({ attributes }) => Object.values(attributes));
    expect(labels).toEqual([
      ["authorization_code", "issued"],
      ["refresh_token", "issued"],
      ["refresh_token", "invalid_grant"],
      [TOKEN_EXCHANGE, "issued"],
      [TOKEN_EXCHANGE, "invalid_request"],
      ["_OTHER", "unsupported_grant_type"],
    ]);
    const exchanges = of("countersign.token.exchange.duration");
    expect(exchanges.map(({ attributes }) => Object.values(attributes))).toEqual([
      [TOKEN_EXCHANGE, "issued"],
      [TOKEN_EXCHANGE, "invalid_request"],
    ]);
    for (const { value } of exchanges) expect(value).toBeGreaterThanOrEqual(0);
  });
});
