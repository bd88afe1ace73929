import { textResult } from "../tool-result.ts";
import { locationOf } from "./facts.ts";
import { type Invocation, succeeded } from "./invocation.ts";
import type { Reading } from "./reading.ts";
import { statusLine } from "./status-line.ts";

/** A redirect that is the success which the document declares, for example to a download; undefined for anything else. */
export async function redirectAnswer({ tool, response }: Reading): Promise<Invocation | undefined> {
  const { status } = response;
  if (tool.request.redirects !== true || status < 300 || status >= 400 || status === 304) return undefined;
  const location = locationOf(response, { withQuery: true });
  if (location === undefined) return undefined;
  await response.body?.cancel();
  return succeeded(textResult(`${statusLine(response)}: the answer is at ${location} and was not fetched.`));
}
