/** The gateway's people API as typed calls. An access token that has run out is renewed once, for all tabs together. */
import type { components } from "./gateway";
import { ROOT, Wire } from "./wire";

type Schemas = components["schemas"];
export type Person = Schemas["PersonView"];
export type GatewayKey = Schemas["KeyView"];
export type NewKey = Schemas["NewKeyView"];
export type Invited = Schemas["InvitedView"];
export type Overview = Schemas["OverviewView"];
export type RecentHours = Schemas["HourView"];
export type FirstTokens = Schemas["FirstTokensView"];
export type FailureCount = Schemas["FailureCountView"];
export type ServedModels = Schemas["ServedModelsView"];
export type ServedDeployment = Schemas["DeploymentView"];
export type OfferedModel = Schemas["OfferedModelView"];
export type OwnUsage = Schemas["UsageView"];
export type LimitsBody = Schemas["LimitsBody"];
export type Limits = Schemas["LimitsView"];
export type Spending = Schemas["SpendingView"];
export type NewPerson = Schemas["NewPersonBody"];
export type PersonChanges = Schemas["PersonChangesBody"];
export type NewKeyWish = Schemas["NewKeyBody"];
export type KeptCall = Schemas["KeptCallView"];
export type KeptWords = Schemas["KeptWordsView"];
export type Door = NonNullable<NewKeyWish["doors"]>[number];

export type Whose = "all" | "own";

/** A month such as 2026-11, or so many days until today; neither is this month. */
export interface Period {
  month?: string;
  days?: number;
}

function overviewPath(whose: Whose): string {
  return whose === "all" ? "/overview" : "/usage/overview";
}

/** Where a period's figures are had as a table. */
export function overviewTableAddress(whose: Whose, { month, days }: Period): string {
  const query = days === undefined ? `month=${month ?? ""}` : `days=${String(days)}`;
  return `${ROOT}${overviewPath(whose)}.csv?${query}`;
}

const SESSION = `${ROOT}/session`;
const LOCK = "recto-gateway-session";

/** A fetch that renews the session when it has run out, and asks again. A refresh token works once, so only one caller may use it. */
export function renewing(send: typeof fetch): typeof fetch {
  let renewal: Promise<boolean> | null = null;
  return async (input, init) => {
    const first = await send(input, init);
    if (first.status !== 401) return first;
    renewal ??= inTurn(() => renew(send)).finally(() => { renewal = null; });
    return (await renewal) ? send(input, init) : first;
  };
}

async function renew(send: typeof fetch): Promise<boolean> {
  // Another tab may have renewed it while this one waited for its turn.
  if ((await send(SESSION)).ok) return true;
  const headers = { "Content-Type": "application/json" };
  return (await send(`${SESSION}/refresh`, { method: "POST", headers, body: "{}" })).ok;
}

/** One tab after another; browsers know such turns only on encrypted and local addresses. */
function inTurn(work: () => Promise<boolean>): Promise<boolean> {
  return "locks" in navigator ? navigator.locks.request(LOCK, work) : work();
}

export interface GatewayClientOptions {
  fetch?: typeof fetch;
  /** Called when nobody is signed in any more. */
  onSignedOut?: () => void;
}

export class GatewayClient {
  readonly #wire: Wire;

  constructor(options: GatewayClientOptions = {}) {
    const send = renewing(options.fetch ?? ((input, init) => fetch(input, init)));
    this.#wire = new Wire({ fetch: send, onSessionEnded: options.onSignedOut ?? (() => undefined) });
  }

  me(): Promise<Person> {
    return this.#wire.json("/session");
  }

  async signOut(): Promise<void> {
    await this.#wire.send("/session", { method: "DELETE" });
  }

  /** A period of the whole gateway, or of one's own account. */
  overview(whose: Whose, period: Period = {}): Promise<Overview> {
    return this.#wire.json(overviewPath(whose), { query: { ...period } });
  }

  /** Sets what the whole gateway may spend in a month; null is no limit. */
  async limitGateway(monthMicros: number | null): Promise<void> {
    await this.#wire.json("/limit", { method: "PUT", body: { monthMicros } });
  }

  usage(): Promise<OwnUsage> {
    return this.#wire.json("/usage");
  }

  people(): Promise<Person[]> {
    return this.#wire.json("/people");
  }

  invite(person: NewPerson): Promise<Invited> {
    return this.#wire.json("/people", { method: "POST", body: person });
  }

  inviteAgain(id: string): Promise<Invited> {
    return this.#wire.json(`${personPath(id)}/invitation`, { method: "POST" });
  }

  withdraw(id: string): Promise<Person> {
    return this.#wire.json(`${personPath(id)}/invitation`, { method: "DELETE" });
  }

  changePerson(id: string, changes: PersonChanges): Promise<Person> {
    return this.#wire.json(personPath(id), { method: "PATCH", body: changes });
  }

  keys(whose: "all" | "own"): Promise<GatewayKey[]> {
    return this.#wire.json(whose === "all" ? "/admin/keys" : "/keys");
  }

  /** Makes a key; for somebody else with their id. */
  addKey(key: NewKeyWish, ownerId: string | null): Promise<NewKey> {
    return this.#wire.json(ownerId === null ? "/keys" : `${personPath(ownerId)}/keys`, { method: "POST", body: key });
  }

  limitKey(id: string, limits: LimitsBody): Promise<GatewayKey> {
    return this.#wire.json(`/admin/keys/${encodeURIComponent(id)}/limits`, { method: "PUT", body: limits });
  }

  async revokeKey(id: string, whose: "all" | "own"): Promise<void> {
    await this.#wire.send(`${whose === "all" ? "/admin/keys" : "/keys"}/${encodeURIComponent(id)}`, { method: "DELETE" });
  }

  /** Has somebody's prompts and answers kept for so many days; null: no more, and what is kept goes. */
  keep(personId: string, days: number | null): Promise<Person> {
    return this.#wire.json(`${personPath(personId)}/keeping`, { method: "PUT", body: { days } });
  }

  /** Calls that are kept, newest first: one's own, or an account's; `before` is the last one that is known. */
  kept(personId: string | null, before?: string): Promise<KeptCall[]> {
    return this.#wire.json(keptPath(personId), { query: before === undefined ? {} : { before } });
  }

  keptWords(personId: string | null, id: string): Promise<KeptWords> {
    return this.#wire.json(keptPath(personId, id));
  }

  /** Erases one call, or with no id all of them. */
  async eraseKept(personId: string | null, id?: string): Promise<void> {
    await this.#wire.send(keptPath(personId, id), { method: "DELETE" });
  }

  offeredModels(): Promise<OfferedModel[]> {
    return this.#wire.json("/models");
  }

  servedModels(): Promise<ServedModels> {
    return this.#wire.json("/admin/models");
  }
}

function keptPath(personId: string | null, id?: string): string {
  const all = personId === null ? "/kept" : `${personPath(personId)}/kept`;
  return id === undefined ? all : `${all}/${encodeURIComponent(id)}`;
}

function personPath(id: string): string {
  return `/people/${encodeURIComponent(id)}`;
}
