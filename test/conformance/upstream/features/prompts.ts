import type { RequestContext } from "../context.ts";
import { INVALID_PARAMS, type JsonObject, objectAt, RpcError } from "../json-rpc.ts";
import { elicit } from "./asks.ts";
import { embeddedText, IMAGE, text } from "./content.ts";
import { filledIn } from "./tool.ts";

interface Prompt {
  readonly description: string;
  /** Names of the arguments, all required. */
  readonly takes: readonly string[];
  readonly get: (given: JsonObject, context: RequestContext) => readonly unknown[] | Promise<readonly unknown[]>;
}

const PROMPTS: Readonly<Record<string, Prompt>> = {
  test_simple_prompt: {
    description: "A text",
    takes: [],
    get: () => [text("This is a simple prompt for testing.")],
  },
  test_prompt_with_arguments: {
    description: "A text with what is given",
    takes: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    description: "A resource and a text",
    takes: ["resourceUri"],
    get: ({ resourceUri }) => [
      embeddedText(String(resourceUri), "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ],
  },
  test_prompt_with_image: {
    description: "An image and a text",
    takes: [],
    get: () => [IMAGE, text("Please analyze the image above.")],
  },
  test_input_required_result_prompt: {
    description: "A text with what the person says",
    takes: [],
    get: async (_, { ask }) => {
      const question = elicit("What context should the prompt use?", { context: { type: "string" } }, ["context"]);
      const { user_context } = await ask({ user_context: question });
      return [text(`Use this context: ${filledIn(user_context, "context")}`)];
    },
  },
};

export function listPrompts(): JsonObject {
  const prompts = Object.entries(PROMPTS).map(([name, { description, takes }]) => ({
    name,
    description,
    arguments: takes.map((argument) => ({ name: argument, description: `The ${argument}`, required: true })),
  }));
  return { prompts };
}

/** @throws RpcError for a prompt that does not exist and for an argument that is missing */
export async function getPrompt(context: RequestContext): Promise<JsonObject> {
  const name = String(context.params.name);
  const prompt = Object.hasOwn(PROMPTS, name) ? PROMPTS[name] : undefined;
  if (prompt === undefined) throw new RpcError(INVALID_PARAMS, `Unknown prompt: ${name}`);
  const given = objectAt(context.params, "arguments");
  const missing = prompt.takes.find((argument) => typeof given[argument] !== "string");
  if (missing !== undefined) throw new RpcError(INVALID_PARAMS, `params.arguments.${missing} is missing.`);
  const content = await prompt.get(given, context);
  return { description: prompt.description, messages: content.map((block) => ({ role: "user", content: block })) };
}
