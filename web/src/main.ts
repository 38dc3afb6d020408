/** Starts the page. */
import "./styles/index.css";
import { mount } from "svelte";
import App from "./shell/views/App.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("The page has no #app element.");
mount(App, { target });
