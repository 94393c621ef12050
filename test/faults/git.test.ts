import { testWays } from "./harness.js";
import { GIT_WAYS } from "./ways-git.js";

testWays(GIT_WAYS, "whatever goes wrong, git does not notice and nothing is lost", 1);
