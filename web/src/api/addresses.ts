/** Addresses of the server, as calls and as links of the page need them. */
import { pageTicket } from "./page-secret";
import { queryString, ROOT } from "./wire";

export function projectPath(id: string, part?: string): string {
  const root = `/projects/${encodeURIComponent(id)}`;
  return part ? `${root}/${part}` : root;
}

/** Where a month's requests can be downloaded, one row each. */
export function usageTableAddress(month: string): string {
  return `${ROOT}/usage.csv${queryString({ month, ...pageTicket() })}`;
}

/** From where the page loads a picture or PDF of a project. Another version makes the browser look again. */
export function rawAddress(projectId: string, path: string, version?: number): string {
  return `${ROOT}${projectPath(projectId, "raw")}${queryString({ path, version: version === undefined ? undefined : String(version), ...pageTicket() })}`;
}
