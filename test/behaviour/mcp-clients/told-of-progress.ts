import { expect, vi } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { Upstream } from "../../support/upstream.ts";

/**
 * Makes a call whose answer comes in two parts, the second when the client was told of the first: the SDK drops what it is
 * told together with the result.
 *
 * @param call calls the tool `slow`
 */
export async function toldOfProgress(
  upstream: Upstream,
  call: (onprogress: () => void) => Promise<unknown>,
): Promise<void> {
  const onprogress = vi.fn();
  const result = call(onprogress);
  await eventually(
    async () => upstream.waiting,
    (waiting) => waiting === 1,
  );
  upstream.begin();
  await vi.waitFor(() => expect(onprogress).toHaveBeenCalledWith(expect.objectContaining({ progress: 0 })), 10_000);
  upstream.release();
  expect(await result).toMatchObject({ content: [{ type: "text", text: "at last" }] });
}
