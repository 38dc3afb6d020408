/** Whether a view that scrolls stays at its end: until somebody scrolls up, and again once they are back there. */

/** What a view shows of its content: from where, how much, and of how much. */
export interface Scrolled {
  scrollTop: number;
  clientHeight: number;
  scrollHeight: number;
}

/** So near to the end is at the end. */
const NEAR_END = 32;

export function scrolledOf({ scrollTop, clientHeight, scrollHeight }: Scrolled): Scrolled {
  return { scrollTop, clientHeight, scrollHeight };
}

/** Whether a view follows its end after it has scrolled. Content that grows moves the end away, not the reader. */
export function followsAfter(followed: boolean, before: Scrolled, now: Scrolled): boolean {
  if (now.scrollHeight - now.scrollTop - now.clientHeight <= NEAR_END) return true;
  // What has become shorter pulls the view up by itself.
  const isMovedUp = now.scrollTop < before.scrollTop && now.scrollHeight >= before.scrollHeight;
  return followed && !isMovedUp;
}
