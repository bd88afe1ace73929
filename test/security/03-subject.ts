import { expect, test } from "vitest";
import { createSigner, type Signer } from "../behaviour/fixture.ts";
import { refusal, type SecurityContext, tokenAnswer } from "./context.ts";

export function subject(context: SecurityContext): void {
  test("3. iss that names another client, is missing or an array is refused", async () => {
    const other: Signer = await createSigner(context.owner);
    for (const iss of [other.clientId, undefined, [context.signer.clientId], context.us.url]) {
      expect(await tokenAnswer(context, { claims: { iss } })).toMatchObject(refusal("invalid JWT claims"));
    }
  });

  test.each([
    ["a number", 7],
    ["null", null],
    ["an object", {}],
    ["an array", ["client_0"]],
    ["empty", ""],
  ])("3. sub that is %s is refused, also when iss is the same", async (_, sub) => {
    expect(await tokenAnswer(context, { claims: { iss: sub, sub } })).toMatchObject(refusal("invalid client"));
  });

  test("3. sub that differs from the id in case or white space is refused", async () => {
    const { clientId } = context.signer;
    for (const sub of [clientId.toUpperCase(), ` ${clientId}`, `${clientId}\n`, clientId.replace("client_", "")]) {
      expect(await tokenAnswer(context, { claims: { iss: sub, sub } })).toMatchObject(refusal("invalid client"));
    }
  });

  test("3. a client_id in the body that differs from sub is refused", async () => {
    const other: Signer = await createSigner(context.owner);
    expect(await tokenAnswer(context, { parameters: { client_id: other.clientId } })).toMatchObject(
      refusal("invalid client"),
    );
  });
}
