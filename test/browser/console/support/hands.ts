import type { Locator, Page } from "playwright-core";

/** How a person works a page: with the mouse, or without. */
export interface Hands {
  /** Buttons, links, tabs. */
  press(target: Locator): Promise<void>;
  /** Checkboxes and radio buttons. */
  tick(target: Locator): Promise<void>;
  /** Writes a text in the place of what a field has. */
  write(field: Locator, text: string): Promise<void>;
}

export const withMouse: Hands = {
  press: (target) => target.click(),
  tick: (target) => target.check(),
  write: (field, text) => field.fill(text),
};

/** Tab, Enter, the space bar and letters, and Escape where the editor takes Tab for itself. */
export function withKeyboard(page: Page): Hands {
  return {
    press: async (target) => {
      await tabTo(page, target);
      await page.keyboard.press("Enter");
    },
    tick: async (target) => {
      await tabTo(page, target);
      await page.keyboard.press("Space");
    },
    write: async (field, text) => {
      await tabTo(page, field);
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(text);
    },
  };
}

/** Goes on from where the focus is; the way leads around the whole page. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    if (await hasFocus(target)) return;
    if (await isInEditor(page)) await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
  }
  throw new Error(`${MOST_STOPS} times Tab do not lead to ${target}.`);
}

const MOST_STOPS = 150;

function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}

function isInEditor(page: Page): Promise<boolean> {
  return page.evaluate(() => document.activeElement?.closest(".cm-editor") !== null);
}
