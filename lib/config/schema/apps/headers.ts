import * as z from "zod";
import { described } from "../described.ts";
import { secret, text } from "../types.ts";

const NAME = "a header name";

/** Headers toward an upstream. Values may hold credentials, so that no message shows one. */
export const headers = described(
  secret(
    z.record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, { error: NAME }), text(), {
      error: (issue) => (issue.code === "invalid_key" ? NAME : "a mapping of header names to text"),
    }),
  ).optional(),
  "Headers of each request; values may use `{{ user.sub }}`, `{{ agent.clientID }}` and `{{ request.id }}`. Not yet in effect.",
  { "X-User": "{{ user.sub }}" },
);
