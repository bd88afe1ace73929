import { describe, expect, test } from "vitest";
import { rpc } from "../behaviour/gateway-fixture.ts";
import type { PoliciesUnderTest } from "../behaviour/policies.ts";

/** Names near to the one that was asked for may follow, of tools that the agent may see. */
const UNKNOWN = {
  code: -32602,
  message: expect.stringMatching(/^There is no tool of this name\.(?!.*(?:deleteNote|createNote))/),
};

/** What a policy hides is not there, whichever way an agent asks. */
export function hiddenTools(it: () => PoliciesUnderTest): void {
  describe("27. a tool that a policy hides", () => {
    test("27. is not listed, and others are", async () => {
      const { result } = await rpc(await it().send({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }));
      const tools = (result?.tools ?? []) as readonly { readonly name: string }[];
      const names = tools.map(({ name }) => name);
      expect(names).toContain("upstream_getNote");
      expect(names).not.toContain("upstream_deleteNote");
      expect(names).not.toContain("upstream_createNote");
    });

    test("27. cannot be called, and is unknown", async () => {
      const { upstream, call } = it();
      const before = upstream.requests.length;
      expect((await rpc(await call("deleteNote", { noteId: "1" }))).error).toEqual(UNKNOWN);
      expect((await rpc(await call("noSuchTool"))).error).toEqual(UNKNOWN);
      expect(upstream.requests).toHaveLength(before);
    });

    test("27. does not tell which scopes it needs either", async () => {
      const response = await it().call("createNote", { title: "a" });
      expect(response.status).toBe(200);
      expect((await rpc(response)).error).toEqual(UNKNOWN);
    });
  });
}
