import { authenticationSentences } from "./sentences/authentication.ts";
import { configurationSentences } from "./sentences/configuration.ts";
import { endpointsSentences } from "./sentences/endpoints.ts";
import { errorsSentences } from "./sentences/errors.ts";
import { providerSentences } from "./sentences/provider.ts";
import { resourcesSentences } from "./sentences/resources.ts";
import type { Sentence } from "./sentences/sentence.ts";
import { serviceSentences } from "./sentences/service.ts";
import { statesSentences } from "./sentences/states.ts";

/** Every sentence of the specification, once, in its order. `sentences.test.ts` compares it with the text where that is at hand. */
export const SENTENCES: readonly Sentence[] = [
  ...serviceSentences,
  ...resourcesSentences,
  ...configurationSentences,
  ...providerSentences,
  ...statesSentences,
  ...endpointsSentences,
  ...authenticationSentences,
  ...errorsSentences,
];

/**
 * `digestOf` all digests, one a line: a clone without the specification notices by it that the list is not the one which was
 * compared with the text.
 */
export const DIGEST_OF_ALL = "4858faefd52956458e4bd27ba8bf66c5e05be89e52ff3788fb794234a5f57a18";
