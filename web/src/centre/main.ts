/** Pages of `rankwise centre site`: complete without JavaScript, which lets readers sort tables. */
import "./centre.css";
import { sortable } from "./sortable.ts";

document.querySelectorAll("table").forEach(sortable);
