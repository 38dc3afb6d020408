/** Starts the gateway's pages. */
import "./styles/gateway-index.css";
import { mount } from "svelte";
import GatewayApp from "./gateway/views/GatewayApp.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("The page has no #app element.");
mount(GatewayApp, { target });
