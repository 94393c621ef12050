import { testWays } from "./harness.js";
import { MEMORY_WAYS } from "./ways-memory.js";

testWays(MEMORY_WAYS, "whatever goes wrong is said, and nothing is lost", 1);
