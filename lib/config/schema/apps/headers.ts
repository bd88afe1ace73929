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
  "Headers of each request, whatever the agent says; values may use claims of the person such as `{{ user.sub }}`, `{{ agent.clientID }}` and `{{ request.id }}`, and secrets, for example `Bearer <github.token>`. A header with a value that a call does not bring is left out; what a header cannot hold is percent-encoded.",
  { "X-User": "{{ user.sub }}" },
);
