import { type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import { CheckIcon, MoonIcon, ScreenIcon, SunIcon } from "../icons.tsx";

const SCHEMES: readonly {
  readonly scheme: MantineColorScheme;
  readonly label: string;
  readonly icon: typeof SunIcon;
}[] = [
  { scheme: "light", label: "Light", icon: SunIcon },
  { scheme: "dark", label: "Dark", icon: MoonIcon },
  { scheme: "auto", label: "As the system", icon: ScreenIcon },
];

/** Light, dark, or as the system is. */
export function ColourSchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
      <Menu.Label>Colours</Menu.Label>
      {SCHEMES.map(({ scheme, label, icon: Icon }) => (
        <Menu.RadioItem
          key={scheme}
          value={scheme}
          checkIcon={<CheckIcon size={14} />}
          rightSection={<Icon size={14} />}
          closeMenuOnClick={false}
        >
          {label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
