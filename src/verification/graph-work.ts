/** All that reads and writes the graph, for a verification that has something to put into it: most have nothing. */
export { adoptBaseline } from "../knowledge/adopt.js";
export { keepMoved, planFor } from "../knowledge/known-plan.js";
export { reconcile, resume } from "../knowledge/reconcile.js";
export { revive } from "../knowledge/revive.js";
export { structuralPlan } from "../knowledge/structural.js";
