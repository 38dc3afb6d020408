/** The edits that this browser keeps until the server has them; the editor writes them (editor/live/unsent-store.ts). */
const DATABASE = "recto-unsent";

/** Removes all of them, in every tab of this address: whoever signs out leaves nothing behind. */
export function removeUnsentEdits(): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.deleteDatabase(DATABASE);
    asked.onsuccess = () => { resolve(); };
    asked.onerror = () => { reject(asked.error ?? new DOMException("The browser's database does not answer.")); };
  });
}
