import { UaError } from "../errors.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";

/** Three bytes of code are rarely more than one token: the estimate is rather too high. */
export const BYTES_PER_TOKEN = 3;

export const tokensOfBytes = (bytes: number) => Math.ceil(bytes / BYTES_PER_TOKEN);

const today = () => new Date().toISOString().slice(0, 10);

/** What was sent and received since midnight UTC, by all coding agents without a session. */
export function usedToday(db: Db): number {
  const use = readSetting(db, SETTINGS.headlessUse);
  return use?.day === today() ? tokensOfBytes(use.bytes) : 0;
}

export function countUse(db: Db, bytes: number): void {
  const use = readSetting(db, SETTINGS.headlessUse);
  const before = use?.day === today() ? use.bytes : 0;
  writeSetting(db, SETTINGS.headlessUse, { day: today(), bytes: before + bytes });
}

/** Throws where a prompt is more than what is left: nothing is sent then. */
export function requireTokens(wanted: number, left: { today: number; run: number }): void {
  if (wanted > left.today) {
    const what = `the tokens of today are used up: ${Math.max(left.today, 0)} left, the next question takes about ${wanted}`;
    throw new UaError("refused", what, "wait until tomorrow (UTC), or raise them: `ua-hooks trust --tokens-per-day N`");
  }
  if (wanted > left.run) {
    const what = `--max-tokens is reached: ${Math.max(left.run, 0)} left, the next question takes about ${wanted}`;
    throw new UaError("refused", what, "run it again with more");
  }
}
