import { AUDIO, embeddedText, IMAGE, text } from "./content.ts";
import { plainTool, said, type Tools } from "./tool.ts";

/** Tools that answer at once, each with another kind of content. */
export const TOOLS_OF_CONTENT: Tools = {
  test_simple_text: plainTool("Answers with text", () => said("This is a simple text response for testing.")),
  test_image_content: plainTool("Answers with an image", () => ({ content: [IMAGE] })),
  test_audio_content: plainTool("Answers with a sound", () => ({ content: [AUDIO] })),
  test_embedded_resource: plainTool("Answers with a resource", () => ({
    content: [embeddedText("test://embedded-resource", "This is an embedded resource content.")],
  })),
  test_multiple_content_types: plainTool("Answers with content of several kinds", () => ({
    content: [
      text("Multiple content types test:"),
      IMAGE,
      embeddedText("test://mixed-content-resource", JSON.stringify({ test: "data", value: 123 })),
    ],
  })),
  test_error_handling: plainTool("Always fails", () => ({
    ...said("This tool intentionally returns an error for testing"),
    isError: true,
  })),
};
