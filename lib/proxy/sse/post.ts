import { UpstreamRefusal } from "../refusal.ts";
import { readAnswer } from "../wire/wire-answer.ts";
import { send, type WireTarget } from "../wire/wire-target.ts";

/**
 * Posts one message. What an upstream has to say to it comes on the stream, so that success says nothing here.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function postAlone(text: string, target: WireTarget): Promise<void> {
  const response = await send({ method: "POST", body: text }, { "content-type": "application/json" }, target);
  if (response.ok) {
    // What is thrown away cannot fail any more.
    await response.body?.cancel().catch(() => undefined);
    return;
  }
  const answer = await readAnswer(response, target);
  if (answer.kind === "refused") throw new UpstreamRefusal(answer);
}
