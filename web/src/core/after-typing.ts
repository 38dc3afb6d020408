/** Lets typing go first: work that can wait runs once the key that was just pressed is painted, never between the two. */

/** Who pressed a key this recently is typing. */
const TYPING_MS = 120;
/** How often waiting work runs beside somebody who goes on typing: they look at what they write. */
const PACE_MS = 800;

let pressed = -Infinity;
let released = -Infinity;
let isListening = false;
const waiting = new Set<() => void>();
/** What shows the outcome of the other work: it comes after all of that. */
const drawing = new Set<() => void>();
let isReleasing = false;
let timer: ReturnType<typeof setTimeout> | undefined;

function release(): void {
  clearTimeout(timer);
  timer = undefined;
  released = performance.now();
  isReleasing = true;
  try {
    run(waiting);
  } finally {
    // Behind whatever that work has left to the end of this task.
    queueMicrotask(() => {
      isReleasing = false;
      run(drawing);
    });
  }
}

function run(works: Set<() => void>): void {
  const due = [...works];
  works.clear();
  for (const work of due) work();
}

function onKey(): void {
  pressed = performance.now();
  // A timer that is set in a frame comes after that frame is painted.
  if (waiting.size + drawing.size > 0 && pressed - released >= PACE_MS) requestAnimationFrame(() => { setTimeout(release); });
}

/** Whoever stops typing presses no further key. */
function releaseAtPause(): void {
  const left = pressed + TYPING_MS - performance.now();
  if (left > 0) timer = setTimeout(releaseAtPause, left);
  else release();
}

function begin(works: Set<() => void>, work: () => void): void {
  if (!isListening) {
    isListening = true;
    addEventListener("keydown", onKey, { capture: true, passive: true });
  }
  const left = pressed + TYPING_MS - performance.now();
  if (left <= 0 && waiting.size === 0) {
    work();
    return;
  }
  works.add(work);
  if (works === waiting || !isReleasing) timer ??= setTimeout(releaseAtPause, left);
}

/** Runs work now, or as soon as somebody who types pauses or has seen their key. Asking again before that changes nothing. */
export function afterTyping(work: () => void): void {
  begin(waiting, work);
}

/** Draws now, or then: in the same task as the other work, once all of that is done. */
export function drawAfterTyping(work: () => void): void {
  begin(drawing, work);
}
