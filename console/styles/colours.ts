import type { MantineColorsTuple } from "@mantine/core";

/** The accent: ink between blue and violet. Shades 5 and 6 carry white text with a contrast above 4.5. */
export const INK: MantineColorsTuple = [
  "#f1f2fe",
  "#e2e4fb",
  "#c3c8f6",
  "#a5acf2",
  "#8790ec",
  "#5a66dc",
  "#4a55cb",
  "#3f49b3",
  "#363f98",
  "#2c337a",
];

export const RED: MantineColorsTuple = [
  "#fff1f1",
  "#fde0e1",
  "#f8bfc2",
  "#f39a9f",
  "#ef7b82",
  "#d43b49",
  "#c92f3e",
  "#ad2433",
  "#931d2b",
  "#751521",
];

export const GREEN: MantineColorsTuple = [
  "#eafaf1",
  "#d3f2e0",
  "#a6e3c1",
  "#76d3a1",
  "#4cc286",
  "#1d8a54",
  "#18794a",
  "#13663e",
  "#0f5433",
  "#0b4027",
];

export const AMBER: MantineColorsTuple = [
  "#fff7e6",
  "#feecc7",
  "#fbd88b",
  "#f6c04f",
  "#eda922",
  "#a86a04",
  "#925a02",
  "#7c4b03",
  "#673e04",
  "#4e2f03",
];

export const GRAY: MantineColorsTuple = [
  "#f8f9fb",
  "#f1f3f6",
  "#e6e9ee",
  "#d8dce3",
  "#bfc5cf",
  "#939ba8",
  "#6a7280",
  "#545b68",
  "#363c47",
  "#1c2027",
];

/** From text (0) over lines (4) to surfaces (6) and the ground (7). */
export const DARK: MantineColorsTuple = [
  "#e3e6ea",
  "#b9bfc9",
  "#9aa2af",
  "#6c7481",
  "#2b3038",
  "#20252c",
  "#171a1f",
  "#101317",
  "#0b0d10",
  "#07080a",
];
