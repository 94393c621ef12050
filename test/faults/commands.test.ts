import { testWays } from "./harness.js";
import { COMMAND_WAYS } from "./ways-command.js";

testWays(COMMAND_WAYS, "whatever goes wrong is said, and nothing is lost", 1);
