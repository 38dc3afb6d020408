/** Templates: notes that others begin as, with the day, the time and the title filled in. */

const pad = (number: number, size = 2) => String(number).padStart(size, "0");

/** A day as its note is called: 2026-11-18. */
export function dayOf(now: Date): string {
  return `${pad(now.getFullYear(), 4)}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
}

/** A moment in a form such as `DD.MM.YYYY HH:mm`. */
function formed(now: Date, form: string): string {
  const parts: Record<string, string> = {
    YYYY: pad(now.getFullYear(), 4), YY: pad(now.getFullYear() % 100), MM: pad(now.getMonth() + 1), DD: pad(now.getDate()), HH: pad(now.getHours()), mm: pad(now.getMinutes()), ss: pad(now.getSeconds()),
    MMMM: now.toLocaleDateString("en", { month: "long" }), dddd: now.toLocaleDateString("en", { weekday: "long" }),
  };
  return form.replace(/YYYY|MMMM|dddd|YY|MM|DD|HH|mm|ss/g, (sign) => parts[sign] ?? sign);
}

/** A template with what it asks for in `{{…}}`; what is not known stays as it is. */
export function filled(template: string, title: string, now: Date): string {
  return template.replace(/\{\{\s*(title|date|time)\s*(?::([^{}]*))?\}\}/g, (_, what: string, form?: string) => {
    if (what === "title") return title;
    return form === undefined || form.trim() === "" ? (what === "date" ? dayOf(now) : formed(now, "HH:mm")) : formed(now, form.trim());
  });
}
