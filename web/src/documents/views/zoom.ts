/** How large a picture is shown: steps that feel even, from a tenth to sixteen times. */

const STEPS = [0.1, 0.15, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 4, 6, 8, 12, 16] as const;

/** The next larger or smaller step from any scale; stays at the ends. */
export function stepFrom(scale: number, direction: 1 | -1): number {
  const larger = STEPS.find((step) => step > scale * 1.01);
  const smaller = STEPS.findLast((step) => step < scale * 0.99);
  return direction > 0 ? (larger ?? STEPS[STEPS.length - 1] ?? 1) : (smaller ?? STEPS[0]);
}

/** The scale at which all of a picture is seen; never larger than it is. */
export function fitOf(picture: Size, room: Size): number {
  if (picture.width === 0 || picture.height === 0 || room.width === 0 || room.height === 0) return 1;
  return Math.min(1, room.width / picture.width, room.height / picture.height);
}

export interface Size {
  width: number;
  height: number;
}

export function percent(scale: number): string {
  return `${String(Math.round(scale * 100))} %`;
}
