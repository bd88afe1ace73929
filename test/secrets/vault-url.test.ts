import { describe, expect, test } from "vitest";
import { parseVaultUrl } from "../../lib/secrets/vault/client.ts";
import { failureOf } from "./servers/failure.ts";

const HOST = "vault.example.com:8200/secret/data/app";

describe("the URL of Vault", () => {
  test.each([
    ["hashivault", "https"],
    ["hashivaults", "https"],
    ["hashivault+https", "https"],
    ["hashivault+http", "http"],
  ])("%s:// is %s", (scheme, protocol) => {
    expect(parseVaultUrl(`${scheme}://${HOST}?token=t`)).toMatchObject({
      origin: `${protocol}://vault.example.com:8200`,
      path: ["secret", "data", "app"],
      credentials: { token: "t" },
    });
  });

  test("values are escaped as in any URL, and + is a plus sign", () => {
    expect(parseVaultUrl(`hashivault://${HOST}/?roleID=a%20b&secretID=c+d%2Be%2F&namespace=team%2Fone`)).toMatchObject({
      path: ["secret", "data", "app"],
      credentials: { roleId: "a b", secretId: "c+d+e/" },
      namespace: "team/one",
    });
  });

  test.each([
    ["without a host", "hashivault:///secret/data/app?token=hunter2", "needs a host"],
    ["of no form", "hashivault://[hunter2", "needs a well-formed URL"],
    ["with a host that is none", "hashivault://1.2.3.4.5/secret?token=hunter2", "needs a host"],
    ["without a path", "hashivault://vault.example.com?token=hunter2", "needs a path, for example hashivault://"],
    [
      "with a path out of the path",
      "hashivault://vault.example.com/secret%2F..%2Fsys?token=hunter2",
      "no escaped / in its path",
    ],
    ["without credentials", `hashivault://${HOST}`, "needs the parameter token, or roleID and secretID"],
    ["with an empty token", `hashivault://${HOST}?token=`, "needs a value for the parameter token"],
    ["with half an AppRole", `hashivault://${HOST}?roleID=hunter2`, "needs the parameter secretID"],
    ["with the other half", `hashivault://${HOST}?secretID=hunter2`, "needs the parameter roleID"],
    [
      "with both kinds",
      `hashivault://${HOST}?token=hunter2&roleID=hunter2&secretID=hunter2`,
      "takes either token, or roleID and secretID",
    ],
    ["with two tokens", `hashivault://${HOST}?token=hunter2&token=hunter2`, "takes the parameter token once"],
    [
      "with an unknown parameter",
      `hashivault://${HOST}?token=hunter2&tokn=x`,
      "has the unknown parameter tokn; accepted: token, roleID, secretID, namespace",
    ],
    [
      "with a value for which the name was forgotten",
      `hashivault://${HOST}?hvs.hunter2`,
      "has an unknown parameter; accepted: token",
    ],
    [
      "with a user before the host",
      `hashivault://root:hunter2@${HOST}`,
      "takes no user name or password before its host",
    ],
    [
      "with a # in a value",
      `hashivault://${HOST}?token=hun#hunter2`,
      "takes no # in its URL (it is %23 within a value)",
    ],
    [
      "with a malformed escape",
      `hashivault://${HOST}?token=hunter2%zz`,
      "has a malformed % escape in the parameter token",
    ],
  ])("%s is refused, and no value is quoted", async (_, url, message) => {
    expect(await failureOf(() => parseVaultUrl(url), ["hunter2"])).toContain(message);
  });
});
