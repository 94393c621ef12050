import { testWays } from "./harness.js";
import { INSTALL_WAYS } from "./ways-install.js";

testWays(INSTALL_WAYS, "whatever goes wrong is said, and can be done again or taken back", 1);
