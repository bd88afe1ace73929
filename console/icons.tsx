import type { SVGProps } from "react";

/** Size in pixels is 16 unless stated. An icon says nothing by itself: the text or label beside it does. */
export interface IconProps extends SVGProps<SVGSVGElement> {
  readonly size?: number;
}

/** Draws a 24 by 24 outline in the colour of the text around it. */
function Icon({ size = 16, d, ...rest }: IconProps & { readonly d: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      {...rest}
    >
      <path d={d} />
    </svg>
  );
}

export function OverviewIcon(props: IconProps) {
  return <Icon {...props} d="M4 13h6V4H4zM14 20h6V11h-6zM4 20h6v-3H4zM14 4v3h6V4z" />;
}

export function OrganizationIcon(props: IconProps) {
  return (
    <Icon {...props} d="M4 20V6l8-3v17M12 9l8 2.5V20M2.5 20h19M7.5 9.5h1M7.5 13h1M7.5 16.5h1M15.5 14h1M15.5 17h1" />
  );
}

export function KeyIcon(props: IconProps) {
  return <Icon {...props} d="M4 15a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M11 12l8.5-8.5M16 7l3 3" />;
}

export function GatewayIcon(props: IconProps) {
  return (
    <Icon
      {...props}
      d="M2.8 12a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0 -4.4 0M16.8 5.5a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0 -4.4 0M16.8 18.5a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0 -4.4 0M7.2 12H12M17 6.2L12 12l5 5.8"
    />
  );
}

export function PublishIcon(props: IconProps) {
  return (
    <Icon {...props} d="M12 15V4M7.5 8.5L12 4l4.5 4.5M4 14v4.5A1.5 1.5 0 0 0 5.5 20h13a1.5 1.5 0 0 0 1.5-1.5V14" />
  );
}

export function SettingsIcon(props: IconProps) {
  return (
    <Icon
      {...props}
      d="M4 7h9M19 7h1M4 17h1M11 17h9M13.4 7a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0M5.4 17a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0"
    />
  );
}

export function AuditIcon(props: IconProps) {
  return <Icon {...props} d="M6 3h9l4 4v14H6zM14.5 3.5V8H19M9.5 12.5h6M9.5 16.5h6" />;
}

export function PersonIcon(props: IconProps) {
  return <Icon {...props} d="M8 8a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M4.5 20.5c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5" />;
}

export function SignOutIcon(props: IconProps) {
  return <Icon {...props} d="M14 4H5v16h9M10 12h11M17.5 8.5L21 12l-3.5 3.5" />;
}

export function SunIcon(props: IconProps) {
  return (
    <Icon
      {...props}
      d="M8 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"
    />
  );
}

export function MoonIcon(props: IconProps) {
  return <Icon {...props} d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z" />;
}

export function ScreenIcon(props: IconProps) {
  return <Icon {...props} d="M3.5 4.5h17v12h-17zM8.5 20.5h7M12 16.5v4" />;
}

export function RegionIcon(props: IconProps) {
  return (
    <Icon
      {...props}
      d="M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0M3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9S9 6 12 3z"
    />
  );
}

export function MenuIcon(props: IconProps) {
  return <Icon {...props} d="M4 7h16M4 12h16M4 17h16" />;
}

export function CloseIcon(props: IconProps) {
  return <Icon {...props} d="M6 6l12 12M18 6L6 18" />;
}

export function CheckIcon(props: IconProps) {
  return <Icon {...props} d="M5 12.5l4.5 4.5L19 7.5" />;
}

export function ChevronDownIcon(props: IconProps) {
  return <Icon {...props} d="M6 9l6 6 6-6" />;
}

export function ChevronRightIcon(props: IconProps) {
  return <Icon {...props} d="M9 6l6 6-6 6" />;
}

export function SelectorIcon(props: IconProps) {
  return <Icon {...props} d="M8 9.5l4-4 4 4M8 14.5l4 4 4-4" />;
}

export function ArrowLeftIcon(props: IconProps) {
  return <Icon {...props} d="M20 12H4M10 6l-6 6 6 6" />;
}

export function ExternalIcon(props: IconProps) {
  return <Icon {...props} d="M14 4h6v6M20 4l-9 9M18 14v6H4V6h6" />;
}

export function PlusIcon(props: IconProps) {
  return <Icon {...props} d="M12 5v14M5 12h14" />;
}

export function SearchIcon(props: IconProps) {
  return <Icon {...props} d="M4.5 11a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0M16 16l4.5 4.5" />;
}

export function CopyIcon(props: IconProps) {
  return <Icon {...props} d="M9 9h11v11H9zM5.5 15H4V4h11v1.5" />;
}

export function DownloadIcon(props: IconProps) {
  return <Icon {...props} d="M12 4v11M7 10.5l5 5 5-5M4.5 20h15" />;
}

export function RefreshIcon(props: IconProps) {
  return <Icon {...props} d="M20 5v5h-5M4 19v-5h5M19.4 10A8 8 0 0 0 5.5 7.5M4.6 14a8 8 0 0 0 13.9 2.5" />;
}

export function TrashIcon(props: IconProps) {
  return <Icon {...props} d="M4 7h16M9.5 7V4h5v3M6 7l1 13h10l1-13M10 11v5M14 11v5" />;
}

export function EditIcon(props: IconProps) {
  return <Icon {...props} d="M4 20h4.5L20 8.5 15.5 4 4 15.5zM13 6.5l4.5 4.5" />;
}

export function MoreIcon(props: IconProps) {
  return <Icon {...props} strokeWidth={3} d="M5 12h.01M12 12h.01M19 12h.01" />;
}

export function FilterIcon(props: IconProps) {
  return <Icon {...props} d="M3.5 6h17M7 12h10M10.5 18h3" />;
}

export function InfoIcon(props: IconProps) {
  return <Icon {...props} d="M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0M12 11v5.5M12 7.6v.1" />;
}

export function QuestionIcon(props: IconProps) {
  return (
    <Icon
      {...props}
      d="M12 21a9 9 0 1 0 0-18a9 9 0 0 0 0 18M9.4 9.4a2.7 2.7 0 1 1 3.7 2.6c-.8.4-1.1.9-1.1 1.7M12 16.7v.1"
    />
  );
}

export function WarningIcon(props: IconProps) {
  return <Icon {...props} d="M12 3.5L2.5 20h19zM12 10v4.5M12 17.2v.1" />;
}

export function DangerIcon(props: IconProps) {
  return <Icon {...props} d="M8 3h8l5 5v8l-5 5H8l-5-5V8zM12 7.5v5.5M12 16.2v.1" />;
}

export function ClockIcon(props: IconProps) {
  return <Icon {...props} d="M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0M12 7v5.5l3.5 2" />;
}

export function PasskeyIcon(props: IconProps) {
  return (
    <Icon
      {...props}
      d="M6 7.5a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0M3 20c.6-4 3-6 6.5-6 1 0 2 .2 2.8.6M14.9 13a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0M17.5 15.6V21l-1.6-1.4M17.5 18.5l1.6-.9"
    />
  );
}

export function LinkIcon(props: IconProps) {
  return (
    <Icon
      {...props}
      d="M10 14a4.5 4.5 0 0 0 6.4 0l3.2-3.2a4.5 4.5 0 0 0-6.4-6.4L12 5.6M14 10a4.5 4.5 0 0 0-6.4 0l-3.2 3.2a4.5 4.5 0 0 0 6.4 6.4l1.2-1.2"
    />
  );
}

export function BoltIcon(props: IconProps) {
  return <Icon {...props} d="M13 3L5 13.5h6L10.5 21 19 10.5h-6z" />;
}

export function PlugIcon(props: IconProps) {
  return <Icon {...props} d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4" />;
}

export function ApprovalIcon(props: IconProps) {
  return (
    <Icon {...props} d="M12 3l7.5 2.8V11c0 4.7-3.1 8.3-7.5 10c-4.4-1.7-7.5-5.3-7.5-10V5.8zM8.5 11.8l2.5 2.5l4.7-4.8" />
  );
}

export function StopIcon(props: IconProps) {
  return <Icon {...props} d="M8.2 3h7.6L21 8.2v7.6L15.8 21H8.2L3 15.8V8.2zM8 12h8" />;
}

export function LimitIcon(props: IconProps) {
  return <Icon {...props} d="M4 17a8 8 0 1 1 16 0M12 17l4-5M4 17h2M18 17h2" />;
}
