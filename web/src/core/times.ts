/** Times in words: when something was, how long it took. */

const FORMATS = {
  time: { hour: "2-digit", minute: "2-digit" },
  day: { day: "numeric", month: "short" },
  date: { day: "numeric", month: "short", year: "numeric" },
  month: { month: "short", year: "numeric" },
} as const;

/** Made once: making one takes a hundred times as long as using it, and some lists are long. */
const formats = new Map<keyof typeof FORMATS, Intl.DateTimeFormat>();

function formatted(date: Date, name: keyof typeof FORMATS): string {
  const format = formats.get(name) ?? new Intl.DateTimeFormat([], FORMATS[name]);
  formats.set(name, format);
  return format.format(date);
}

/** 14:32 today, yesterday, or a date. Times arrive as milliseconds. */
export function whenText(at: number, now: Date = new Date()): string {
  const date = new Date(at);
  const days = dayNumber(now) - dayNumber(date);
  if (days === 0) return formatted(date, "time");
  if (days === 1) return "yesterday";
  return formatted(date, date.getFullYear() === now.getFullYear() ? "day" : "date");
}

/** The same in few letters, for the end of a narrow row: of another year, only the month. */
export function whenShort(at: number, now: Date = new Date()): string {
  return new Date(at).getFullYear() === now.getFullYear() ? whenText(at, now) : formatted(new Date(at), "month");
}

function dayNumber(date: Date): number {
  return Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() / 86_400_000);
}

/** 6 s, 2 min 5 s */
export function secondsText(seconds: number): string {
  const whole = Math.max(seconds > 0 ? 1 : 0, Math.round(seconds));
  return whole < 60 ? `${String(whole)} s` : `${String(Math.floor(whole / 60))} min ${String(whole % 60)} s`;
}
