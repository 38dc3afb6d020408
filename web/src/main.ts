/** Starts the page. */
import "./styles/index.css";
import { mount } from "svelte";
import { takePageSecret } from "./api";
import App from "./shell/views/App.svelte";

takePageSecret();
const target = document.getElementById("app");
if (!target) throw new Error("The page has no #app element.");
target.replaceChildren();
mount(App, { target, props: { options: { readsTogether: true } } });
