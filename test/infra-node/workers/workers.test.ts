import { afterAll, beforeAll, expect, test } from "vitest";
import {
  assertionParameters,
  createSigner,
  issueToken,
  postForm,
  setUpOwner,
  signAssertion,
  startAlone,
} from "../../behaviour/fixture.ts";
import { bearer, mcpURL, post } from "../../behaviour/gateway-fixture.ts";
import { nodeWithWorkers } from "../../runtimes/node.ts";
import type { RunningRegions } from "../../support/runtime.ts";
import { type PinnedWorkers, pinWorkers } from "./pinned.ts";

let [regions, it] = [] as unknown as [RunningRegions, PinnedWorkers];
beforeAll(async () => {
  regions = await startAlone(nodeWithWorkers);
  it = await pinWorkers(regions.us);
});
afterAll(async () => {
  it.close();
  await regions.stop();
});

test("8. two workers serve one port and one store: what one revokes the other refuses", async () => {
  const { us } = regions;
  const owner = await setUpOwner(it.one);
  const resource = mcpURL(us);
  const signer = await createSigner({ ...owner, region: it.two }, { resources: [resource] });
  const headers = bearer(await issueToken(us, signer, { resource }));
  const listed = async () => {
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    return Promise.all([it.one, it.two].map(async (region) => (await post(region, list, headers)).status));
  };
  expect(await listed()).toEqual([200, 200]);
  const token = headers.authorization?.slice("Bearer ".length) ?? "";
  const assertion = assertionParameters(await signAssertion(signer, us));
  expect((await postForm(`${it.two.url}/oauth2/revoke`, { ...assertion, token })).status).toBe(200);
  expect(await listed()).toEqual([401, 401]);
});
