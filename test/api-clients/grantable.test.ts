import { expect, test } from "vitest";
import { othersGrants } from "../../lib/api-clients/grantable.ts";
import { assembleRegistration } from "../../lib/config/assemble/oidc-provider.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { WebAppConfiguration } from "../../lib/config/web-app-configuration.ts";
import { webApp } from "../support/web-app.ts";

function forPrograms(name: string, scope: string, changes: Partial<WebAppConfiguration>): WebAppConfiguration {
  const [policy] = webApp(name).policies;
  if (policy === undefined) throw new Error("it has one");
  const bearer = { audiences: [`https://${name}.example`], scopes: [scope] };
  return webApp(name, { policies: [policy, { ...policy, bearer }], ...changes });
}

const APPS = [
  forPrograms("payroll", "payroll:read", { organization: "org_1" }),
  forPrograms("wiki", "wiki:read", {}),
  forPrograms("status", "status:read", { isShared: true, organization: "org_1" }),
];

async function othersOf(organizationId: string) {
  const { scopes, audiences } = await othersGrants(
    {
      configuration: () => ({ configuration: { apps: APPS } as unknown as Configuration }),
      stores: { directory: { firstOrganization: async () => ({ organizationId: "org_1" }) as never } },
    },
    organizationId,
  );
  return { scopes: [...scopes], audiences: [...audiences] };
}

test("scopes and audiences of a web app are its organization's, unless it is shared", async () => {
  expect(await othersOf("org_1")).toEqual({ scopes: [], audiences: [] });
  expect(await othersOf("org_2")).toEqual({
    scopes: ["payroll:read", "wiki:read"],
    audiences: ["https://payroll.example", "https://wiki.example"],
  });
});

test("clients that come by themselves may ask for what programs need at web apps, unless the configuration says otherwise", () => {
  const document = { dynamic: true, idps: undefined, claimsMapping: {}, defaultScopes: [], accessToken: {} };
  const instance = { signIn: ["corp"], mcpProvider: undefined, apps: APPS, canSign: true };
  const assembled = (more: object) => assembleRegistration({ ...document, ...more } as never, instance);
  expect(assembled({}).scopes).toEqual(expect.arrayContaining(["payroll:read", "wiki:read", "status:read"]));
  expect(assembled({}).allowedAudiences).toEqual(APPS.map(({ name }) => `https://${name}.example`));
  expect(assembled({ scopes: ["openid"], allowedAudiences: [] })).toMatchObject({
    scopes: ["openid"],
    allowedAudiences: [],
  });
});
