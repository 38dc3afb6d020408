/** What the gateway's pages know: who is signed in, which page is open, and what each page has read. */
import type { GatewayClient, GatewayKey, KeptCall, OfferedModel, Overview, OwnUsage, Period, Person, ServedModels, Whose } from "../../api/gateway-client";
import { Fetched } from "./fetched.svelte";

export const SECTIONS = ["overview", "keys", "models", "people", "usage", "kept"] as const;
export type Section = (typeof SECTIONS)[number];

export function sectionOf(hash: string): Section {
  if (keptOwnerOf(hash) !== null) return "kept";
  return SECTIONS.find((section) => hash === `#${section}`) ?? "overview";
}

const KEPT_OF = "#kept/";

/** The account whose kept calls an address shows; null: one's own, or another page. */
export function keptOwnerOf(hash: string): string | null {
  return hash.startsWith(KEPT_OF) ? decodeURIComponent(hash.slice(KEPT_OF.length)) : null;
}

export function keptAddress(personId: string): string {
  return KEPT_OF + encodeURIComponent(personId);
}

export class Gateway {
  readonly client: GatewayClient;
  readonly me = new Fetched<Person>();
  readonly overview = new Fetched<Overview>();
  readonly keys = new Fetched<GatewayKey[]>();
  readonly people = new Fetched<Person[]>();
  readonly served = new Fetched<ServedModels>();
  readonly offered = new Fetched<OfferedModel[]>();
  readonly usage = new Fetched<OwnUsage>();
  readonly kept = new Fetched<KeptCall[]>();
  /** Whose kept calls are shown; null: one's own. */
  keptOwner = $state.raw<string | null>(null);
  section = $state<Section>("overview");
  /** What was just done, for everybody to read or hear. */
  said = $state("");

  constructor(client: GatewayClient) {
    this.client = client;
  }

  get isAdmin(): boolean {
    return this.me.value?.role === "admin";
  }

  /** Whose keys and figures are shown. */
  get whose(): Whose {
    return this.isAdmin ? "all" : "own";
  }

  async start(hash: string): Promise<void> {
    await this.me.load(() => this.client.me());
    if (this.me.value) await this.open(hash);
  }

  /** Opens the page of an address, and reads what it shows. */
  async open(hash: string): Promise<void> {
    const wanted = sectionOf(hash);
    this.section = wanted === "people" && !this.isAdmin ? "overview" : wanted;
    this.keptOwner = this.isAdmin ? keptOwnerOf(hash) : null;
    // What somebody said is not to be seen under another's name, not even for a moment.
    this.kept.value = null;
    this.said = "";
    await this.read();
  }

  /** Reads what the open page shows. */
  async read(): Promise<void> {
    await Promise.all(this.#reads());
  }

  readOverview(period: Period = {}): Promise<void> {
    return this.overview.load(() => this.client.overview(this.whose, period));
  }

  readKeys(): Promise<void> {
    return this.keys.load(() => this.client.keys(this.whose));
  }

  readPeople(): Promise<void> {
    return this.people.load(() => this.client.people());
  }

  readKept(): Promise<void> {
    return this.kept.load(() => this.client.kept(this.keptOwner));
  }

  /** Reads the calls before those that are shown: whether there were any. */
  async readMoreKept(): Promise<boolean> {
    const known = this.kept.value ?? [];
    const more = await this.client.kept(this.keptOwner, known.at(-1)?.id);
    this.kept.value = [...known, ...more];
    return more.length > 0;
  }

  ownerOf(key: GatewayKey): string {
    if (key.accountId === this.me.value?.id) return this.me.value.name;
    return this.people.value?.find(({ id }) => id === key.accountId)?.name ?? "";
  }

  #reads(): Promise<void>[] {
    const people = this.isAdmin ? [this.readPeople()] : [];
    const offered = () => this.offered.load(() => this.client.offeredModels());
    const served = () => this.served.load(() => this.client.servedModels());
    switch (this.section) {
      case "overview":
        return [this.readOverview(), ...people, ...(this.isAdmin ? [this.readKeys(), served()] : [])];
      case "keys":
        return [this.readKeys(), offered(), ...people];
      case "models":
        return [this.isAdmin ? served() : offered()];
      case "people":
        return [...people, this.readKeys()];
      case "usage":
        return [this.usage.load(() => this.client.usage()), this.keys.load(() => this.client.keys("own"))];
      case "kept":
        return [this.readKept(), this.readKeys(), ...people];
    }
  }
}
