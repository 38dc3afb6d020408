/** Lets typing go first: work that can wait runs once the key that was just pressed is painted, never between the two. */

/** Who pressed a key this recently is typing. */
const TYPING_MS = 120;
/** How often waiting work runs beside somebody who goes on typing: they look at what they write. */
const PACE_MS = 800;

let pressed = -Infinity;
let released = -Infinity;
let isListening = false;
const waiting = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

function release(): void {
  clearTimeout(timer);
  timer = undefined;
  released = performance.now();
  const due = [...waiting];
  waiting.clear();
  for (const work of due) work();
}

function onKey(): void {
  pressed = performance.now();
  // A timer that is set in a frame comes after that frame is painted.
  if (waiting.size > 0 && pressed - released >= PACE_MS) requestAnimationFrame(() => { setTimeout(release); });
}

/** Whoever stops typing presses no further key. */
function releaseAtPause(): void {
  const left = pressed + TYPING_MS - performance.now();
  if (left > 0) timer = setTimeout(releaseAtPause, left);
  else release();
}

/** Runs work now, or as soon as somebody who types pauses or has seen their key. Asking again before that changes nothing. */
export function afterTyping(work: () => void): void {
  if (!isListening) {
    isListening = true;
    addEventListener("keydown", onKey, { capture: true, passive: true });
  }
  const left = pressed + TYPING_MS - performance.now();
  if (left <= 0 && waiting.size === 0) {
    work();
    return;
  }
  waiting.add(work);
  timer ??= setTimeout(releaseAtPause, left);
}
