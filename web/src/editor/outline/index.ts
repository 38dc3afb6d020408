/** What stands where in a text. */
export { type Overview, overviewOf } from "./outline";
