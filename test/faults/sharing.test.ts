import { testWays } from "./harness.js";
import { sharing } from "./ways-sharing.js";

testWays([sharing], "whatever goes wrong, what was described arrives with the next sync", 3);
