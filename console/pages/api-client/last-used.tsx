const HOUR = 3_600_000;

/** The hour in which a key pair last brought a token, ISO 8601. Nothing finer is known of it. */
export function LastUsed({ hour }: { readonly hour: string | undefined }) {
  if (hour === undefined) return <span>Never</span>;
  const start = Date.parse(hour);
  const ago = Math.floor((Date.now() - start) / HOUR);
  return (
    <time dateTime={hour} title={`In the hour from ${hour.slice(0, 16).replace("T", " ")} UTC`}>
      {ago < 1 ? "This hour" : ago < 48 ? hoursAgo(ago) : DATE.format(start)}
    </time>
  );
}

function hoursAgo(hours: number): string {
  return hours === 1 ? "An hour ago" : `${hours} hours ago`;
}

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
