import { about } from "#about";
import { CARD, contrastOf } from "../../pages/page.ts";
import { described, section } from "./section.ts";
import { text } from "./types.ts";

const LOGO = "a data: URL of a PNG, JPEG, WebP or SVG image in base64, of at most 64 KiB";
const LOGO_FORM = /^data:image\/(?:png|jpeg|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;
const LONGEST_LOGO = 65_536;

/** Texts in the colour are read on a page: WCAG 2.2, 1.4.3. */
const LEAST_CONTRAST = 4.5;

function accent(card: string) {
  const accepted = `a colour such as #7a1f5c, with a contrast of at least ${LEAST_CONTRAST} to 1 on ${card}`;
  return text(accepted)
    .refine((value) => /^#[0-9a-fA-F]{6}$/.test(value) && contrastOf(value, card) >= LEAST_CONTRAST, {
      error: accepted,
    })
    .optional();
}

/** `branding`: how the pages look on which people sign in, allow agents and sign out. */
export const branding = described(
  section({
    name: described(
      text().max(60, { error: "at most 60 characters" }),
      about("Stands above each page.", "Example Bank"),
    ),
    logo: described(
      text(LOGO)
        .max(LONGEST_LOGO, { error: LOGO })
        .refine((value) => LOGO_FORM.test(value), { error: LOGO })
        .optional(),
      about("Image beside the name.", "data:image/svg+xml;base64,PHN2Zy8+"),
    ),
    accentColor: described(accent(CARD.light), about("Colour of buttons on light pages.", "#7a1f5c")),
    darkAccentColor: described(accent(CARD.dark), about("Colour of buttons on dark pages.", "#f0a6d6")),
  }).optional(),
  about("Whose pages they are on which people sign in, allow agents and sign out. Without it they name nobody."),
);
